import { createHash } from 'node:crypto';
import { Body, Controller, Get, HttpCode, Module, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  apiResponse,
  ApiError,
  TrackedFetches,
  type ApiResponse,
  type TrackedFetch,
} from '@postmesh/contracts';
import {
  body,
  Call,
  Internal,
  Operation,
  query,
  type ApiCall,
  type ServiceDefinition,
} from '@postmesh/service-host';

const received: { length: number; sha256: string }[] = [];

@Controller()
class EchoController {
  @Operation('messages.send-conversation')
  async send(@Call() call: ApiCall): Promise<ApiResponse> {
    const seen = { length: call.rawBody.length, sha256: sha256(call.rawBody) };
    received.push(seen);
    return apiResponse(202, { ...seen, ...about(call) });
  }

  @Operation('messages.get')
  async get(
    @Call() call: ApiCall,
    @Param('message_id') id: string,
    @Query(query((given) => given)) given: object,
  ): Promise<ApiResponse> {
    if (id === 'refused') throw new ApiError(409, 'not now', { 'retry-after': '7' });
    if (id === 'large') return apiResponse(200, { text: 'x'.repeat(5_000_000) });
    if (id === 'broken') throw new Error('a secret of the service');
    return apiResponse(200, { id, query: given, ...about(call) });
  }
}

/** What the gateway reports of pixels and links, and what it hands on of unsubscribe links. */
export const tracked = {
  fetches: [] as TrackedFetch[],
  reports: 0,
  /** how the next reports are answered; undefined: taken */
  refuseWith: undefined as number | undefined,
};

@Controller()
class LinksController {
  @Internal()
  @Post('internal/tracked-fetches')
  @HttpCode(200)
  report(@Body(body(TrackedFetches)) { fetches }: TrackedFetches): object {
    if (tracked.refuseWith !== undefined) throw new ApiError(tracked.refuseWith, 'not now');
    tracked.reports += 1;
    tracked.fetches.push(...fetches);
    return {};
  }

  @Get('public/u/:token')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    void reply
      .type('text/html')
      .header('cache-control', 'private')
      .send(JSON.stringify(seen(request)));
  }

  @Post('public/u/:token')
  @HttpCode(200)
  form(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    void reply.type('text/html').send(JSON.stringify(seen(request)));
  }
}

const seen = ({ method, params, headers, body: bytes }: FastifyRequest) => ({
  method,
  token: (params as { token: string }).token,
  headers,
  bytes: Buffer.isBuffer(bytes) ? bytes.length : 0,
});

const about = (call: ApiCall) => ({
  account: call.principal.account_id,
  scopes: call.principal.scopes,
  request_id: call.requestId,
  client_ip: call.clientIp,
});

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

@Module({ controllers: [EchoController, LinksController] })
class EchoModule {}

/** A real service behind the gateway that tells what reached it. */
export const ECHO_SERVICE: ServiceDefinition = { name: 'messages', module: EchoModule };

/** Bodies that reached the service since the last call. */
export const takeReceived = (): typeof received => received.splice(0);
