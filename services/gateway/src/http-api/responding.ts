import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse } from '@postmesh/contracts';
import { readRestLater } from '@postmesh/http';
import type { Exchange } from './exchange.js';

/** Writes the head of a response, whose body the caller sends. */
export function writeHead(
  { request, response }: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
): void {
  if (readRestLater(request, response)) headers['connection'] = 'close';
  response.writeHead(status, headers);
}

/** Sends a response of this process. Resolves when it is written to the connection. */
export async function respond(exchange: Exchange, made: ApiResponse): Promise<void> {
  const { response } = exchange;
  const { status, headers, bytes, stream } = made;
  // the client got a 503 because the process stops (http-listener.ts)
  if (response.headersSent) {
    stream?.destroy();
    return;
  }
  const head: OutgoingHttpHeaders = { 'content-type': 'application/json', ...headers };
  if (stream) {
    writeHead(exchange, status, head);
    return send(exchange, stream);
  }
  head['content-length'] = bytes.length;
  writeHead(exchange, status, head);
  response.end(bytes);
}

/** Streams a response. Either side may close its connection; the log line of the request then shows a cut response. */
export async function send({ response }: Exchange, body: Readable): Promise<void> {
  await pipeline(body, response).catch(() => response.destroy());
}
