import type { IncomingMessage } from 'node:http';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, ApiErrors, apiResponse, failureKind, type ApiResponse } from '@postmesh/contracts';
import { attachedCall, closeGently, readRestLater, STREAMED_TYPES } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { CALL, ClientGone, type OperationRequest } from './api-call.js';
import { parseQueryText } from './input.pipes.js';
import { Replay } from './operation.guard.js';
import type { RequestBodies } from './request-bodies.js';
import { RunOvertaken } from '../idempotency/stored-responses.js';

/** Sends the bytes of an ApiResponse unchanged, so that a replay is equal to the first response. */
export class ResponseAdapter extends FastifyAdapter {
  override reply(response: never, body: unknown, statusCode?: number): never {
    // refused while its database did not answer (waiting-requests.ts)
    if (!isApiResponse(body) && (response as FastifyReply).sent) return response;
    if (!isApiResponse(body)) return super.reply(response, body, statusCode) as never;
    return send(response, body) as never;
  }
}

/**
 * As bytes: Fastify adds a charset to a text, and a replay would then differ from the first response. The response of
 * an operation is stored first, by the hook `onSend`.
 * @param error set when it is the response to one
 */
function send(reply: FastifyReply, response: ApiResponse, error?: unknown): FastifyReply {
  const { status, headers, stream, bytes } = response;
  const call = (reply.request as OperationRequest)[CALL];
  if (call) call.outcome = { response, error };
  if (status >= 400) noteError(reply.request.raw, bytes);
  if (reply.sent) {
    // the gateway at a stop of the process (http-listener.ts), or a database that does not answer: no hook runs
    stream?.destroy();
    // a key that stays claimed is free when this process has ended
    call?.settle()?.catch(() => undefined);
    return reply;
  }
  void reply.status(status).header('content-type', 'application/json');
  if (headers) void reply.headers(headers);
  return reply.send(stream ?? bytes);
}

/** For the request log of the gateway in this process. */
function noteError(request: IncomingMessage, body: Buffer): void {
  const attached = attachedCall(request);
  if (attached) attached.errorBody = body;
}

function isApiResponse(value: unknown): value is ApiResponse {
  return typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);
}

// No part of a path is longer than the whole head that the gateway reads (16 KiB), so none reaches this limit:
// the rules of names and ids refuse too long ones.
const MAX_PARAMETER_LENGTH = 16 * 1024;

// The principal names every scope of a key: up to 1,000 of 285 characters, in base64. Only services of this
// installation connect to this listener, so that no outsider can exploit the size.
export const MAX_HEAD_BYTES = 512 * 1024;

// The gateway streams a client's body through: a slow one occupies the service as long as the gateway.
const MAX_REQUEST_MS = 300_000;

// The gateway forwards no more: a form of one field, as multipart with the additions of a mailbox provider.
const MAX_PUBLIC_BODY_BYTES = 64 * 1024;

/** The Fastify instance of one service: a body stays bytes until the operation has passed its earlier checks. */
export function createAdapter(bodies: RequestBodies): ResponseAdapter {
  const adapter = new ResponseAdapter({
    bodyLimit: bodies.limit,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH, querystringParser: parseQueryText },
    keepAliveTimeout: 65_000,
    requestTimeout: MAX_REQUEST_MS,
    http: { maxHeaderSize: MAX_HEAD_BYTES },
    forceCloseConnections: 'idle',
    // services have no Express middleware
    skipMiddie: true,
    // a request on an open connection is still served, and its response ends the connection (health-routes.ts)
    return503OnClosing: false,
  });
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    ['application/json', 'message/rfc822'],
    (request: FastifyRequest, stream: IncomingMessage) => bodies.read(request, stream),
  );
  fastify.addHook('onSend', (request, reply, payload, done) => {
    bodies.release(request);
    if (readRestLater(request.raw, reply.raw)) void reply.header('connection', 'close');
    const settled = (request as OperationRequest)[CALL]?.settle();
    const complete = reply.statusCode === 200 ? attachedCall(request.raw)?.complete : undefined;
    if (!settled && !complete) return done(null, payload);
    Promise.resolve(settled)
      .then(() => (complete ? complete(payload as Buffer) : payload))
      .then(
        (sent) => done(null, sent),
        (failure: Error) => done(failure),
      );
  });
  // runs as well when other code has ended the response
  fastify.addHook('onResponse', (request, _reply, done) => {
    bodies.release(request);
    done();
  });
  fastify.server.on('connection', closeGently);
  // Imports of the operator interface: their handler reads them as a stream, and sets their limits. The API accepts
  // only JSON.
  fastify.addContentTypeParser([...STREAMED_TYPES], (request, stream, done) =>
    request.url.startsWith('/operator/') ? done(null, stream) : done(ApiErrors.wrongContentType()),
  );
  // Public links: their handlers judge their forms.
  fastify.addContentTypeParser('*', (request: FastifyRequest, stream: IncomingMessage) =>
    request.url.startsWith('/public/')
      ? bodies.read(request, stream, MAX_PUBLIC_BODY_BYTES)
      : Promise.reject(ApiErrors.wrongContentType()),
  );
  return adapter;
}

/** Every error is sent in the contract's form, and an unexpected one without its details. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (error instanceof Replay) send(reply, error.response);
    else send(reply, this.toResponse(error, http.getRequest<FastifyRequest>()), error);
  }

  /** The response of an error; an unexpected error is logged. */
  private toResponse(error: unknown, request: FastifyRequest): ApiResponse {
    const { status, message, headers } = toApiError(error);
    // a caller that disconnects, in the middle of its body or later, is no failure of ours, and gets no response
    const isGone = error instanceof ClientGone || (request.raw.destroyed && !request.raw.complete);
    if (status >= 500 && !isGone) {
      this.logger.error(
        {
          event: 'request.failed',
          err: error,
          request_id: request.headers['x-request-id'],
          method: request.method,
          path: request.url.split('?')[0],
        },
        'request failed',
      );
    }
    return { ...apiResponse(status, { message }), headers };
  }
}

const OF_CODE: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ApiErrors.bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ApiErrors.wrongContentType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ApiErrors.invalidBody,
  FST_ERR_BAD_URL: ApiErrors.unknownPath,
};

const OF_STATUS: Readonly<Record<number, () => ApiError>> = {
  400: ApiErrors.invalidBody,
  404: ApiErrors.unknownPath,
  413: ApiErrors.bodyTooLarge,
  415: ApiErrors.wrongContentType,
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Maps the errors of Fastify and Nest to those of the contract. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof RunOvertaken) return ApiErrors.idempotencyInProgress(1);
  const known =
    OF_CODE[codeOf(error)] ?? (error instanceof HttpException ? OF_STATUS[error.getStatus()] : undefined);
  if (known) return known();
  if (failureKind(error) === 'transient') {
    return new ApiError(503, 'service temporarily unavailable', { 'retry-after': '1' });
  }
  return ApiErrors.internal();
}
