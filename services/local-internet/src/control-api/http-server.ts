import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalInternetLogger } from '../logger.js';
import { json, Refusal, send, type Answer } from './answer.js';
import { comesFromElsewhere, isOurHost } from './guards.rules.js';

export interface Asked {
  request: IncomingMessage;
  url: URL;
  /** What the groups of the route's pattern matched, decoded. */
  params: string[];
}

export interface Route {
  method: 'GET' | 'PUT' | 'DELETE';
  path: RegExp;
  answer(asked: Asked): Promise<Answer> | Answer;
}

export interface HttpServerOptions {
  host: string;
  /** 0 = a free port. */
  port: number;
  allowedHosts: readonly string[];
  routes: readonly Route[];
  logger: LocalInternetLogger;
}

const MOST_CONNECTIONS = 512;
const REQUEST_MS = 30_000;

/** The mailbox port: routes behind the two guards of a server that a browser on this machine can reach. */
export class HttpServer {
  private readonly server: Server;

  private constructor(private readonly options: HttpServerOptions) {
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.maxConnections = MOST_CONNECTIONS;
    this.server.requestTimeout = REQUEST_MS;
  }

  static async start(options: HttpServerOptions): Promise<HttpServer> {
    const started = new HttpServer(options);
    started.server.listen(options.port, options.host);
    await once(started.server, 'listening');
    return started;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.answer(request);
    if (response.destroyed) return;
    if (!request.complete) response.setHeader('connection', 'close');
    send(response, answer);
  }

  private async answer(request: IncomingMessage): Promise<Answer> {
    try {
      if (!isOurHost(request.headers.host, this.options.allowedHosts)) {
        throw new Refusal(403, 'this server answers only to localhost');
      }
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      if (method !== 'GET' && comesFromElsewhere(request.headers)) {
        throw new Refusal(403, 'requests from other sites are refused');
      }
      return await this.routed(request, method);
    } catch (error) {
      if (error instanceof Refusal) return json(error.status, { message: error.message });
      this.options.logger.error({ err: error, method: request.method }, 'mailbox: request failed');
      return json(500, { message: 'internal error' });
    }
  }

  private async routed(request: IncomingMessage, method: string | undefined): Promise<Answer> {
    const url = parseUrl(request.url);
    const here = this.options.routes.filter((route) => route.path.test(url.pathname));
    const route = here.find((candidate) => candidate.method === method);
    if (route === undefined) {
      throw here.length === 0 ? new Refusal(404, 'not found') : new Refusal(405, 'method not allowed');
    }
    const params = (route.path.exec(url.pathname) ?? []).slice(1).map(decode);
    return route.answer({ request, url, params });
  }
}

function parseUrl(target: string | undefined): URL {
  try {
    return new URL(target ?? '/', 'http://localhost');
  } catch {
    throw new Refusal(400, 'invalid URL');
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal(400, 'invalid URL');
  }
}
