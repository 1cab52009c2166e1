import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import type { Operators } from './operators.js';

const Method = z.enum(['GET', 'POST', 'PUT', 'DELETE']);

export interface OperatorRequest {
  /** the name of who asks */
  operator: string;
  method: z.infer<typeof Method>;
  /** below `/operator/`, without slashes around it */
  path: string;
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
  operators: Operators;
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
      const operator = this.operatorOf(request);
      const method = Method.safeParse(request.method).data;
      if (method === undefined) throw new ApiError(405, 'method not allowed');
      const { route, rest } = this.find(method, url.pathname);
      const body = await readBody(request);
      const path = segmentsOf(url.pathname).slice(1).join('/');
      const given = await route({ operator, method, path, rest, query: url.searchParams, body });
      send(response, given.status ?? 200, given.body);
    } catch (error) {
      if (!(error instanceof ApiError)) this.options.logger.error({ err: error }, 'operator request failed');
      const apiError = error instanceof ApiError ? error : new ApiError(500, 'internal server error');
      send(response, apiError.status, { message: apiError.message });
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
    const segments = segmentsOf(path);
    const exact = this.routes.get(`${method} ${segments.join('/')}`);
    if (exact) return { route: exact, rest: '' };
    for (let length = segments.length; length > 0; length--) {
      const route = this.routes.get(`* ${segments.slice(0, length).join('/')}`);
      if (route) return { route, rest: segments.slice(length).join('/') };
    }
    throw new ApiError(404, 'not found');
  }

  /** @throws ApiError 401 */
  private operatorOf(request: IncomingMessage): string {
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const name = this.options.operators.nameOf(token);
    if (name === undefined) throw new ApiError(401, 'missing or wrong operator token');
    return name;
  }
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

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
