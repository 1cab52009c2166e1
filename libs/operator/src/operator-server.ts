import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';

export interface OperatorRequest {
  method: string;
  /** what stands behind the path of a `*` route */
  rest: string;
  query: URLSearchParams;
  /** parsed JSON; undefined when there was no body */
  body: unknown;
}

export type OperatorRoute = (request: OperatorRequest) => Promise<{ status?: number; body: unknown }>;

export interface OperatorServerOptions {
  host: string;
  port: number;
  token: string;
  logger: Logger;
  /** every part ready, by name */
  readiness: () => Promise<Record<string, boolean>>;
  metrics: () => Promise<string>;
}

const MOST_BODY_BYTES = 1_000_000;

/**
 * The operator interface (architecture §5.4): HTTP on a port of its own, loopback by default, bearer token.
 * Health and metrics need no token, since probes have none and they tell nothing of customers.
 */
export class OperatorServer {
  private readonly routes = new Map<string, OperatorRoute>();
  private server: Server | undefined;

  constructor(private readonly options: OperatorServerOptions) {}

  /** @param path e.g. `operator/dead-letters`; with the method `*` it serves every method and everything below */
  route(method: string, path: string, route: OperatorRoute): void {
    this.routes.set(`${method} ${path}`, route);
  }

  /** @returns the port */
  async listen(): Promise<number> {
    const server = createServer((request, response) => void this.serve(request, response));
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.options.port, this.options.host, resolve);
    });
    return (server.address() as { port: number }).port;
  }

  async close(): Promise<void> {
    const { server } = this;
    if (!server) return;
    server.closeIdleConnections();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      setTimeout(() => server.closeAllConnections(), 1_000).unref();
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'http://operator');
      if (await this.serveProbe(url.pathname, response)) return;
      if (!this.authorised(request)) throw new ApiError(401, 'missing or wrong operator token');
      const { route, rest } = this.find(request.method ?? 'GET', url.pathname);
      const body = await readBody(request);
      const given = await route({ method: request.method ?? 'GET', rest, query: url.searchParams, body });
      send(response, given.status ?? 200, given.body);
    } catch (error) {
      if (!(error instanceof ApiError)) this.options.logger.error({ err: error }, 'operator request failed');
      const refusal = error instanceof ApiError ? error : new ApiError(500, 'internal server error');
      send(response, refusal.status, { message: refusal.message });
    }
  }

  private async serveProbe(path: string, response: ServerResponse): Promise<boolean> {
    if (path === '/health/live') send(response, 200, { status: 'live' });
    else if (path === '/health/ready') {
      const parts = await this.options.readiness();
      const ready = Object.values(parts).length > 0 && Object.values(parts).every(Boolean);
      send(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', parts });
    } else if (path === '/metrics') {
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(await this.options.metrics());
    } else return false;
    return true;
  }

  private find(method: string, path: string): { route: OperatorRoute; rest: string } {
    const segments = path.split('/').filter((segment) => segment !== '');
    const exact = this.routes.get(`${method} ${segments.join('/')}`);
    if (exact) return { route: exact, rest: '' };
    for (let length = segments.length; length > 0; length--) {
      const route = this.routes.get(`* ${segments.slice(0, length).join('/')}`);
      if (route) return { route, rest: segments.slice(length).join('/') };
    }
    throw new ApiError(404, 'not found');
  }

  /** Hashes have one length, so that the comparison tells nothing about the token's. */
  private authorised(request: IncomingMessage): boolean {
    const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const digest = (text: string) => createHash('sha256').update(text).digest();
    return timingSafeEqual(digest(given), digest(this.options.token));
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BODY_BYTES) throw new ApiError(413, 'request body is too large');
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new ApiError(400, 'invalid request body');
  }
}
