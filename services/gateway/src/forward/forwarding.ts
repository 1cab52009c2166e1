import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import { ApiErrors, type Principal, type ServiceName } from '@postmesh/contracts';
import { PrincipalMinter, ServiceDirectory, type RemoteService } from '@postmesh/internal-http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { Exchange } from '../http-api/exchange.js';
import type { RoutedOperation } from '../http-api/operation-router.js';
import { ClientBody } from './client-body.js';
import {
  forwardedHeaders,
  isWorthAnotherTry,
  publicHeaders,
  returnedHeaders,
  toForwardError,
} from './forward.rules.js';

/** A request as a service gets it. */
interface Target {
  service: ServiceName;
  /** path and query */
  url: string;
  headers: Record<string, string>;
  bodyLimit: number;
}

// A service reads a large body once it has room for it (decision 34): 45 s of waiting, and the request itself.
const LARGE_FROM_BYTES = 1024 * 1024;
const LARGE_RESPONSE_MS = 90_000;

const PONG = '{"message":"pong"}';

/** Hands a request that may pass to its service: in this process as it is, else over HTTP. */
@Injectable()
export class Forwarding {
  constructor(
    private readonly directory: ServiceDirectory,
    private readonly minter: PrincipalMinter,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ApiError, Transient (503) or Error (500) while no response was begun */
  async forward(exchange: Exchange, operation: RoutedOperation, principal: Principal): Promise<void> {
    const { request, response, requestId, clientIp } = exchange;
    const { service } = operation;
    if (service === 'gateway') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': PONG.length });
      response.end(PONG);
      return;
    }
    const headers = forwardedHeaders(request.headers, {
      principal: this.minter.mint(principal, service),
      requestId,
      clientIp,
    });
    const bodyLimit = this.settings.bodyLimitBytes;
    await this.pass(exchange, { service, url: request.url ?? '', headers, bodyLimit });
  }

  /**
   * For public links, which belong to messages: without a principal, and with a body of whatever type.
   * @param path of the messages service @param bodyLimit bytes
   * @throws ApiError 413; Transient (503) or Error (500) while no response was begun
   */
  async forwardPublic(exchange: Exchange, path: string, bodyLimit: number): Promise<void> {
    const { request, frame, requestId, clientIp } = exchange;
    if (frame.length !== undefined && frame.length > bodyLimit) throw ApiErrors.bodyTooLarge();
    const headers = publicHeaders(request.headers, { requestId, clientIp });
    // Node sends no body in the response to a HEAD, whatever the service writes
    if (request.method === 'HEAD') request.method = 'GET';
    await this.pass(exchange, { service: 'messages', url: path, headers, bodyLimit });
  }

  private async pass(exchange: Exchange, target: Target): Promise<void> {
    const { request, response } = exchange;
    // the client waits for leave to send its body (RFC 9110 §10.1.1); it has passed every check now
    if (request.headers.expect !== undefined) response.writeContinue();
    const local = this.directory.findLocal(target.service);
    if (!local) return this.overHttp(exchange, target);
    request.headers = target.headers;
    request.url = target.url;
    local.route(request, response);
  }

  /** Streams the request to a service in another process, and its response back. */
  private async overHttp(exchange: Exchange, target: Target): Promise<void> {
    // between undici and the service the length alone decides
    const { 'transfer-encoding': _chunked, ...headers } = target.headers;
    const received = await this.send(exchange, { ...target, headers });
    const { request, response, frame } = exchange;
    const unread = frame.present && !request.complete;
    response.writeHead(received.statusCode, {
      ...returnedHeaders(received.headers),
      ...(unread ? { connection: 'close' } : {}),
    });
    if (unread) response.once('finish', () => request.resume());
    // either side may go away now; the log line of the request says that the response was cut
    await pipeline(received.body, response).catch(() => response.destroy());
  }

  private async send(exchange: Exchange, target: Target): Promise<Dispatcher.ResponseData> {
    const remote = this.directory.remoteOf(target.service);
    const method = exchange.request.method ?? '';
    for (let tries = 1; ; tries += 1) {
      const body = exchange.frame.present ? new ClientBody(exchange.request, target.bodyLimit) : undefined;
      try {
        return await sendTo(remote, method, target, body);
      } catch (error) {
        const attempt = { method, untouched: body?.untouched ?? true };
        if (tries === 1 && isWorthAnotherTry(error, attempt)) continue;
        throw toForwardError(error, target.service, attempt);
      } finally {
        exchange.bytesIn = body?.bytes;
      }
    }
  }
}

function sendTo(
  { pool, prefix }: RemoteService,
  method: string,
  { url, headers }: Target,
  body: ClientBody | undefined,
): Promise<Dispatcher.ResponseData> {
  const large = body !== undefined && Number(headers['content-length'] ?? Infinity) >= LARGE_FROM_BYTES;
  return pool.request({
    method: method as Dispatcher.HttpMethod,
    path: prefix + url,
    headers,
    body: body ?? null,
    ...(large ? { headersTimeout: LARGE_RESPONSE_MS } : {}),
  });
}
