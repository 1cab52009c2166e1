import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import type { Principal, ServiceName } from '@postmesh/contracts';
import { PrincipalMinter, ServiceDirectory, type RemoteService } from '@postmesh/internal-http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { Exchange } from '../http-api/exchange.js';
import type { RoutedOperation } from '../http-api/operation-router.js';
import { ClientBody } from './client-body.js';
import { forwardedHeaders, isWorthAnotherTry, returnedHeaders, toForwardError } from './forward.rules.js';

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
    // the client waits for leave to send its body (RFC 9110 §10.1.1); it has passed every check now
    if (request.headers.expect !== undefined) response.writeContinue();
    const local = this.directory.findLocal(service);
    if (!local) return this.overHttp(exchange, service, headers);
    request.headers = headers;
    local.route(request, response);
  }

  /** Streams the request to a service in another process, and its response back. */
  private async overHttp(
    exchange: Exchange,
    service: ServiceName,
    headers: Record<string, string>,
  ): Promise<void> {
    // between undici and the service the length alone decides
    const { 'transfer-encoding': _chunked, ...sent } = headers;
    const received = await this.send(exchange, service, sent);
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

  private async send(
    exchange: Exchange,
    service: ServiceName,
    headers: Record<string, string>,
  ): Promise<Dispatcher.ResponseData> {
    const remote = this.directory.remoteOf(service);
    const method = exchange.request.method ?? '';
    for (let tries = 1; ; tries += 1) {
      const body = exchange.frame.present
        ? new ClientBody(exchange.request, this.settings.bodyLimitBytes)
        : undefined;
      try {
        return await sendTo(remote, exchange, headers, body);
      } catch (error) {
        const attempt = { method, untouched: body?.untouched ?? true };
        if (tries === 1 && isWorthAnotherTry(error, attempt)) continue;
        throw toForwardError(error, service, attempt);
      } finally {
        exchange.bytesIn = body?.bytes;
      }
    }
  }
}

function sendTo(
  { pool, prefix }: RemoteService,
  { request }: Exchange,
  headers: Record<string, string>,
  body: ClientBody | undefined,
): Promise<Dispatcher.ResponseData> {
  return pool.request({
    method: request.method as Dispatcher.HttpMethod,
    path: prefix + (request.url ?? ''),
    headers,
    body: body ?? null,
  });
}
