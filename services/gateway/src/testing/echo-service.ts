import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { All, Body, Controller, Get, HttpCode, Module, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  ApiError,
  apiResponse,
  newId,
  type ApiResponse,
  type RecentChange,
  type RecentChanges,
} from '@postmesh/contracts';
import {
  InboundEnvelope,
  SMTP_ENVELOPE_HEADER,
  SubmissionEnvelope,
  SubmissionSenderRequest,
  TrackedFetches,
  type SmtpReply,
  type SmtpVerdict,
  type SubmissionResult,
  type TrackedFetch,
} from '@postmesh/messages-contract';
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
    if (call.rawBody.includes('fails')) throw new Error('a secret of the service');
    return apiResponse(202, { ...seen, ...about(call), data: [{ id: `<${newId()}@shop.test>` }] });
  }

  @Operation('messages.get')
  async get(
    @Call() call: ApiCall,
    @Param('message_id') id: string,
    @Query(query((given) => given)) given: object,
  ): Promise<ApiResponse> {
    if (id === 'refused') throw new ApiError(409, 'not now', { 'retry-after': '7' });
    if (id === 'large') return apiResponse(200, { text: 'x'.repeat(5_000_000) });
    if (id === 'waits') return waitFor(call);
    if (id === 'broken') throw new Error('a secret of the service');
    return apiResponse(200, { id, query: given, ...about(call) });
  }
}

/** `begun` and `given up`, of a request that waits until its client disconnects. */
export const waits = new EventEmitter();

function waitFor(call: ApiCall): Promise<ApiResponse> {
  return call.respond(
    () =>
      new Promise<never>((_, reject) => {
        const { signal } = call;
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
          waits.emit('given up', signal.reason);
        });
        waits.emit('begun');
      }),
    () => apiResponse(200, {}),
  );
}

/** The recent changes of any account, and the times of the requests for them. */
export const recent = { changes: [] as RecentChange[], since: [] as string[] };

@Controller()
class RecentChangesController {
  @Internal()
  @Get('internal/accounts/:account_id/recent-changes')
  list(@Query(query((given) => given)) { since }: { since: string }): RecentChanges {
    recent.since.push(since);
    return { changes: recent.changes.filter(({ at }) => at > since) };
  }
}

/** Received reports of pixels and links, and forwarded requests of unsubscribe links. */
export const tracked = {
  fetches: [] as TrackedFetch[],
  reports: 0,
  /** error status for the next reports; undefined: they are accepted */
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

  @Get('public/v/:token')
  copy(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    void reply.type('text/html').send(JSON.stringify({ copy: true, ...seen(request) }));
  }

  @Post(['public/u/:token', 'public/r/:token'])
  @HttpCode(200)
  form(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    void reply.type('text/html').send(JSON.stringify(seen(request)));
  }
}

/** Links of campaigns: the response holds the caller and the name of the responding service, marketing. */
@Controller()
class CampaignLinksController {
  @All(['public/u/:token', 'public/r/:token'])
  @HttpCode(200)
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    void reply.type('text/html').send(JSON.stringify({ service: 'marketing', ...seen(request) }));
  }
}

/** An operation that fails as a service that is broken when its body says so. */
@Controller()
class ListsController {
  @Operation('lists.create')
  async create(@Call() call: ApiCall): Promise<ApiResponse> {
    if (call.rawBody.includes('fails')) throw new Error('broken');
    return apiResponse(201, { made: true });
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
  ...(call.principal.member && { member: call.principal.member }),
});

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Received requests of SMTP sessions, and the replies to give. */
export const mail = {
  senders: [] as SubmissionSenderRequest[],
  /** instead of ok, at MAIL */
  senderReply: undefined as SmtpReply | undefined,
  submissions: [] as { envelope: SubmissionEnvelope; raw: Buffer }[],
  inbound: [] as { envelope: InboundEnvelope; raw: Buffer }[],
  /** instead of ok, at the end of DATA */
  reply: undefined as SmtpReply | undefined,
  /** error status of every request, as of a broken service */
  failWith: undefined as number | undefined,
};

/** Files share this module in one process: what one has wanted of the service ends with it. */
export function answerNormally(): void {
  Object.assign(mail, { senderReply: undefined, reply: undefined, failWith: undefined });
  tracked.refuseWith = undefined;
  recent.changes = [];
}

export const STORED_ID = '0198c0de-0000-7000-8000-000000000001';

@Controller('internal')
@Internal()
class MailController {
  @Post('submissions/senders')
  @HttpCode(200)
  sender(@Body(body(SubmissionSenderRequest)) asked: SubmissionSenderRequest): SmtpVerdict {
    if (mail.failWith !== undefined) throw new ApiError(mail.failWith, 'broken');
    mail.senders.push(asked);
    return mail.senderReply ? { ok: false, reply: mail.senderReply } : { ok: true };
  }

  @Post('submissions')
  @HttpCode(200)
  submission(@Req() request: FastifyRequest): SubmissionResult {
    mail.submissions.push({ envelope: SubmissionEnvelope.parse(envelopeOf(request)), raw: rawOf(request) });
    return storedResult();
  }

  @Post('inbound-messages')
  @HttpCode(200)
  inbound(@Req() request: FastifyRequest): SubmissionResult {
    mail.inbound.push({ envelope: InboundEnvelope.parse(envelopeOf(request)), raw: rawOf(request) });
    return storedResult();
  }
}

const rawOf = ({ body: raw }: FastifyRequest): Buffer => {
  if (mail.failWith !== undefined) throw new ApiError(mail.failWith, 'broken');
  if (!Buffer.isBuffer(raw)) throw new Error('a raw message is bytes');
  return raw;
};

const envelopeOf = ({ headers }: FastifyRequest): unknown =>
  JSON.parse(Buffer.from(String(headers[SMTP_ENVELOPE_HEADER]), 'base64url').toString());

const storedResult = (): SubmissionResult =>
  mail.reply ? { ok: false, reply: mail.reply } : { ok: true, id: STORED_ID };

@Module({ controllers: [EchoController, LinksController, MailController, RecentChangesController] })
class EchoModule {}

@Module({ controllers: [CampaignLinksController, ListsController] })
class CampaignEchoModule {}

/** A real service behind the gateway that echoes its requests. */
export const ECHO_SERVICE: ServiceDefinition = { name: 'messages', module: EchoModule };

/** A second such service. */
export const CAMPAIGN_ECHO_SERVICE: ServiceDefinition = { name: 'marketing', module: CampaignEchoModule };

/** Bodies that reached the service since the last call. */
export const takeReceived = (): typeof received => received.splice(0);
