import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4, type AddressInfo } from 'node:net';
import type { Logger } from '@postmesh/observability';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Zones } from '../dns/zones.js';
import type { Houses } from '../houses/houses.js';
import type { MessageStorage } from '../messages/message-storage.js';
import type { Verifier } from '../messages/verifier.js';
import type { LateReports } from '../reports/late-reports.js';
import { addHouseRoutes } from './houses.routes.js';
import { HttpError } from './http-error.js';
import { addMessageRoutes } from './messages.routes.js';
import { addZoneRoutes } from './zones.routes.js';

export interface MailboxServerOptions {
  /** 0 = a free port. */
  port: number;
  storage: MessageStorage;
  verifier: Verifier;
  zones: Zones;
  houses: Houses;
  reports: LateReports;
  consoleUrl?: string | undefined;
  logger: Logger;
}

const MAX_CONNECTIONS = 512;
const REQUEST_TIMEOUT_MS = 30_000;
// Several times a zone of a thousand records.
const MAX_BODY_BYTES = 1024 * 1024;
// A host name of 253 octets, each of them percent-encoded.
const MAX_PARAM_LENGTH = 3 * 253;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The mailbox port: control API and web mailbox, protected against web pages in a browser on this machine. */
export async function startMailboxServer(
  options: MailboxServerOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    routerOptions: {
      maxParamLength: MAX_PARAM_LENGTH,
      querystringParser: (text) => Object.fromEntries(new URLSearchParams(text)),
    },
    frameworkErrors: (_error, _request, reply) => sendError(reply, 400, 'invalid URL'),
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  addGuards(app);
  addErrorResponses(app, options.logger);
  // A body is JSON whatever its content type; an empty one is absent.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) => {
    try {
      return body === '' ? undefined : (JSON.parse(body) as unknown);
    } catch {
      throw new HttpError(400, 'request body is not valid JSON');
    }
  });
  refuseOtherMethods(app, () => {
    addMessageRoutes(app, options);
    addZoneRoutes(app, options.zones);
    addHouseRoutes(app, options.houses);
  });
  await app.listen({ port: options.port, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://localhost:${port}`, stop: () => app.close() };
}

function addGuards(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ method, headers }, reply) => {
    reply.headers(SECURITY_HEADERS);
    if (!isOurHost(headers.host)) {
      throw new HttpError(403, 'this server answers only to localhost');
    }
    if (method !== 'GET' && method !== 'HEAD' && isFromOtherSite(headers)) {
      throw new HttpError(403, 'requests from other sites are refused');
    }
  });
  app.addHook('onSend', async (request, reply) => {
    // Otherwise a refused body would be read to its end.
    if (!request.raw.complete) reply.header('connection', 'close');
  });
}

/**
 * A page on the internet can point its own name at 127.0.0.1 and have a browser read us (DNS rebinding).
 * Its Host header reveals that: only names of this machine are served.
 */
function isOurHost(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const name = new URL(`http://${host}`).hostname;
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    (isIPv4(name) && name.startsWith('127.'))
  );
}

/** A browser sends the origin of a request; other programs send none, and they are no danger here. */
function isFromOtherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return (
    headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${headers.host}`.toLowerCase()
  );
}

function addErrorResponses(app: FastifyInstance, logger: Logger): void {
  app.setNotFoundHandler((_request, reply) => sendError(reply, 404, 'not found'));
  app.setErrorHandler((error: { statusCode?: number; message: string }, { method }, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode < 500) return sendError(reply, statusCode, error.message);
    logger.error({ event: 'mailbox.request_failed', err: error, method }, 'a mailbox request failed');
    return sendError(reply, 500, 'internal error');
  });
}

function sendError(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).headers(SECURITY_HEADERS).send({ message });
}

/** Answers 405 where a path exists, but not with that method. */
function refuseOtherMethods(app: FastifyInstance, addRoutes: () => void): void {
  const methodsOf = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), ...[method].flat()]);
  });
  addRoutes();
  for (const [url, methods] of [...methodsOf]) {
    app.route({
      url,
      method: METHODS.filter((method) => !methods.includes(method)),
      onRequest: async () => {
        throw new HttpError(405, 'method not allowed');
      },
      handler: async () => undefined,
    });
  }
}
