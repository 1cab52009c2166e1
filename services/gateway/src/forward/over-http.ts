import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import { ServiceDirectory, type RemoteService } from '@postmesh/internal-http';
import { SETTINGS } from '@postmesh/service-host';
import type { ServiceName } from '@postmesh/contracts';
import type { Settings } from '@postmesh/settings';
import type { Exchange } from '../http-api/exchange.js';
import { ClientBody } from './client-body.js';
import { isWorthAnotherTry, toForwardError } from './forward-failure.rules.js';
import { returnedHeaders } from './forwarded-headers.rules.js';

/** Streams a request to a service in another process, and its answer back. */
@Injectable()
export class OverHttp {
  constructor(
    private readonly directory: ServiceDirectory,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ApiError, Transient (503) or Error (500) while nothing was answered yet */
  async forward(exchange: Exchange, service: ServiceName, headers: Record<string, string>): Promise<void> {
    // between undici and the service the length alone decides
    const { 'transfer-encoding': _chunked, ...sent } = headers;
    const answered = await this.ask(exchange, service, sent);
    const { request, response, frame } = exchange;
    const unread = frame.present && !request.complete;
    response.writeHead(answered.statusCode, {
      ...returnedHeaders(answered.headers),
      ...(unread ? { connection: 'close' } : {}),
    });
    if (unread) response.once('finish', () => request.resume());
    // either side may go away now; the log line of the request tells that the answer was cut
    await pipeline(answered.body, response).catch(() => response.destroy());
  }

  private async ask(
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
        return await send(remote, exchange, headers, body);
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

function send(
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
