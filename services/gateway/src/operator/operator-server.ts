import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ApiError, ApiErrors, JsonTooLarge, parseBoundedJson } from '@postmesh/contracts';
import { closeGently, isUnread, STREAMED_TYPES } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { openPort, type Settings } from '@postmesh/settings';
import type { OperatorPages } from '../console/console-pages.js';
import { OperatorOidc } from './operator-oidc.js';
import { OperatorSignIn } from './operator-sign-in.js';
import { Operators } from './operators.js';
import { sendJson } from './send-json.js';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

export interface OperatorRequest {
  /** name of the operator */
  operator: string;
  method: Method;
  /** below `/operator/`, without slashes around it */
  path: string;
  /** the path below a `*` route */
  rest: string;
  query: URLSearchParams;
  /** parsed JSON; undefined when there was no body */
  body: unknown;
  /** a body that is not JSON, passed on as a stream */
  stream?: { bytes: Readable; contentType: string };
}

export type OperatorRoute = (request: OperatorRequest) => Promise<{ status?: number; body: unknown }>;

export interface OperatorServerOptions {
  host: string;
  port: number;
  operators: Operators;
  /** left out: operators have tokens alone */
  oidc?: OperatorOidc | undefined;
  /** left out: the address of the pages is the one that requests name */
  baseUrl?: string | undefined;
  logger: Logger;
  /** readiness of every part, by name */
  readiness: () => Promise<Record<string, boolean>>;
  /** false: the process cannot recover and a supervisor should restart it; default: always true */
  isAlive?: () => boolean;
  metrics: () => Promise<string>;
  /** left out: none */
  pages?: OperatorPages;
}

const PAGES = ['/console', '/console/*'];
/** Paths that need no token: probes and proxies have none, the files of pages are no secret. */
const OPEN: ReadonlySet<string> = new Set([
  '/',
  '/health/live',
  '/health/ready',
  '/metrics',
  '/tls/ask',
  ...PAGES,
]);

// The largest body is a design: HTML and blocks of a mebibyte each, a text, and their JSON escapes.
const MAX_BODY_BYTES = 5_000_000;
const CLOSE_MS = 1_000;

/** The ways in of operators, of the settings. @throws SettingsError */
export const operatorWays = (settings: Settings, logger: Logger) => ({
  operators: Operators.fromSettings(settings),
  oidc: OperatorOidc.fromSettings(settings, logger),
  baseUrl: settings.operatorBaseUrl,
});

/**
 * The operator interface (architecture §5.4): HTTP on a port of its own, loopback by default, bearer token, or the session of a
 * browser (OperatorSignIn).
 * Health and metrics need no token, since probes have none and the data reveal nothing about customers.
 */
export class OperatorServer {
  private readonly app = createApp();
  private readonly operators = new WeakMap<FastifyRequest, string>();
  private readonly signIn: OperatorSignIn;

  constructor(private readonly options: OperatorServerOptions) {
    this.signIn = new OperatorSignIn(options);
    this.app.addHook('onRequest', async (request) => {
      const { url = '' } = request.routeOptions;
      if (OPEN.has(url) || this.signIn.isOpen(request.method, url)) return;
      this.operators.set(request, this.signIn.operatorOf(request));
    });
    this.app.addHook('onSend', closeUnread);
    this.app.server.on('connection', closeGently);
    this.app.setErrorHandler((error, _request, reply) => this.fail(error, reply));
    this.app.setNotFoundHandler(async ({ method }) => {
      if (METHODS.some((one) => one === method)) throw ApiErrors.unknownPath();
      throw new ApiError(405, 'method not allowed');
    });
    this.addProbes();
    this.signIn.addTo(this.app, (request) => this.nameOf(request));
    if (options.pages && !options.pages.areNone) this.addPages(options.pages);
  }

  /**
   * Call before `listen` only.
   * @param path e.g. `operator/dead-letters`; with the method `*` it serves every method and everything below
   */
  route(method: string, path: string, route: OperatorRoute): void {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const { status = 200, body } = await route(this.read(request, path));
      return sendJson(reply, status, body);
    };
    const every = method === '*';
    for (const url of every ? [`/${path}`, `/${path}/*`] : [`/${path}`]) {
      this.app.route({ method: every ? [...METHODS] : method, url, handler });
    }
  }

  /**
   * @returns the port
   * @throws Error that names the setting when the port is unavailable
   */
  async listen(): Promise<number> {
    const { host, port } = this.options;
    await openPort('POSTMESH_OPERATOR_PORT', port, () => this.app.listen({ host, port }));
    const { port: opened } = this.app.server.address() as { port: number };
    this.options.oidc?.listensAt(opened);
    return opened;
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => this.app.server.closeAllConnections(), CLOSE_MS);
    await this.app.close();
    clearTimeout(timer);
    await this.options.oidc?.close();
  }

  private addProbes(): void {
    this.app.get('/health/live', (_request, reply) => {
      const alive = this.options.isAlive?.() ?? true;
      return sendJson(reply, alive ? 200 : 503, { status: alive ? 'live' : 'hopeless' });
    });
    this.app.get('/health/ready', async (_request, reply) => {
      const parts = await this.options.readiness();
      const ready = Object.values(parts).length > 0 && Object.values(parts).every(Boolean);
      return sendJson(reply, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', parts });
    });
    this.app.get('/metrics', async (_request, reply) =>
      reply.type('text/plain; version=0.0.4; charset=utf-8').send(await this.options.metrics()),
    );
  }

  private addPages(pages: OperatorPages): void {
    this.app.get('/', (_request, reply) => reply.redirect('/console/'));
    for (const url of PAGES)
      this.app.get(url, (request, reply) => {
        const { pathname: path } = urlOf(request.url);
        if (!pages.has(path)) throw ApiErrors.unknownPath();
        pages.serve({ path, request: request.raw, response: reply.raw });
        reply.hijack();
      });
  }

  private nameOf(request: FastifyRequest): string {
    return this.operators.get(request) ?? '';
  }

  private read(request: FastifyRequest, route: string): OperatorRequest {
    const { pathname, searchParams: query } = urlOf(request.url);
    const segments = segmentsOf(pathname);
    return {
      operator: this.nameOf(request),
      method: request.method as Method,
      path: segments.slice(1).join('/'),
      rest: segments.slice(segmentsOf(route).length).join('/'),
      query,
      ...bodyOf(request),
    };
  }

  private fail(error: unknown, reply: FastifyReply): void {
    const apiError = toApiError(error);
    if (apiError.status === 500) {
      this.options.logger.error({ event: 'operator_request.failed', err: error }, 'operator request failed');
    }
    void sendJson(reply, apiError.status, { message: apiError.message });
  }
}

/** Closes the connection of a refused upload, since its unread rest blocks further requests. */
async function closeUnread({ raw }: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (isUnread(raw)) void reply.header('connection', 'close');
  return payload;
}

function bodyOf({ body, headers }: FastifyRequest): Pick<OperatorRequest, 'body' | 'stream'> {
  if (!(body instanceof Readable)) return { body: body ?? undefined };
  return { body: undefined, stream: { bytes: body, contentType: headers['content-type'] ?? '' } };
}

/** A body is read as JSON regardless of its content type (the default of curl is another one), or streamed. */
function createApp(): FastifyInstance {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    // resolves `..`, so that a path cannot reach another service or avoid its audit
    rewriteUrl: ({ url = '/' }) => {
      const { pathname, search } = urlOf(url);
      return pathname + search;
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, bytes.length === 0 ? undefined : parseBoundedJson(bytes as Buffer));
    } catch (error) {
      done(
        error instanceof JsonTooLarge ? ApiErrors.bodyBeyondLimits(error.message) : ApiErrors.invalidBody(),
      );
    }
  });
  app.addContentTypeParser([...STREAMED_TYPES], (_request, stream, done) => done(null, stream));
  return app;
}

/** Errors of Fastify itself are errors of the request. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return ApiErrors.bodyTooLarge();
  if (code?.startsWith('FST_ERR_CTP')) return ApiErrors.invalidBody();
  return statusCode === 404 ? ApiErrors.unknownPath() : ApiErrors.internal();
}

const urlOf = (url: string): URL => new URL(URL.canParse(url, BASE) ? url : '/', BASE);
const BASE = 'http://operator';

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');
