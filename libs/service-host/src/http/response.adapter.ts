import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ApiResponse } from '@postmesh/contracts';
import type { Settings } from '@postmesh/settings';

/** Sends an ApiResponse as the bytes it already is: what is stored for replay is what was sent. */
export class ResponseAdapter extends FastifyAdapter {
  override reply(response: never, body: unknown, statusCode?: number): never {
    if (!isAnswer(body)) return super.reply(response, body, statusCode) as never;
    const reply = response as FastifyReply;
    void reply.status(body.status).header('content-type', 'application/json');
    if (body.headers) void reply.headers(body.headers);
    return reply.send(body.bytes) as never;
  }
}

function isAnswer(value: unknown): value is ApiResponse {
  return typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);
}

// No part of a path is longer than the whole head that the gateway reads (16 KiB), so none meets this limit:
// what is too long for a name or an id is told so by whoever knows names and ids.
const LONGEST_PARAMETER = 16 * 1024;

// The principal names every scope of a key: up to 1,000 of 285 characters, in base64. Only services of this
// installation speak to this listener, so nobody outside can make use of it.
const LARGEST_HEAD = 512 * 1024;

// The gateway streams a client's body through: a slow one takes the service as long as the gateway.
const LONGEST_REQUEST_MS = 300_000;

/** The Fastify of one service: bodies stay bytes until the operation has passed its earlier checks. */
export function createAdapter(settings: Pick<Settings, 'bodyLimitBytes'>): ResponseAdapter {
  const adapter = new ResponseAdapter({
    bodyLimit: settings.bodyLimitBytes,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    keepAliveTimeout: 65_000,
    requestTimeout: LONGEST_REQUEST_MS,
    http: { maxHeaderSize: LARGEST_HEAD },
    forceCloseConnections: 'idle',
  });
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    ['application/json', 'message/rfc822'],
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  );
  return adapter;
}
