import { createHash } from 'node:crypto';
import { Controller, Module, Param, Query } from '@nestjs/common';
import { apiResponse, ApiError, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, query, type ApiCall, type ServiceDefinition } from '@postmesh/service-host';

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

const about = (call: ApiCall) => ({
  account: call.principal.account_id,
  scopes: call.principal.scopes,
  request_id: call.requestId,
  client_ip: call.clientIp,
});

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

@Module({ controllers: [EchoController] })
class EchoModule {}

/** A real service behind the gateway that tells what reached it. */
export const ECHO_SERVICE: ServiceDefinition = { name: 'messages', module: EchoModule };

/** Bodies that reached the service since the last call. */
export const takeReceived = (): typeof received => received.splice(0);
