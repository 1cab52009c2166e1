import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse } from '@postmesh/contracts';
import type { Exchange } from './exchange.js';

// A body of this size is read to its end, so that the connection serves the next request.
const READ_TO_END_BYTES = 64 * 1024;

/**
 * Writes the head of a response, whose body the caller sends. What has not been read of the client's body is read
 * after the response, if it is short; else the connection ends.
 */
export function writeHead(
  { request, response, frame }: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
): void {
  if (frame.present && !request.complete) {
    const short = frame.length !== undefined && frame.length <= READ_TO_END_BYTES;
    if (!short || request.headers.expect !== undefined) headers['connection'] = 'close';
    response.once('finish', () => request.resume());
  }
  response.writeHead(status, headers);
}

/** Sends a response that was made in this process. Resolves when it is handed to the connection. */
export async function respond(exchange: Exchange, made: ApiResponse): Promise<void> {
  const { response } = exchange;
  const { status, headers, bytes, stream } = made;
  // it was told that the process stops (http-listener.ts)
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

/** Either side may go away in the middle; the log line of the request says that the response was cut. */
export async function send({ response }: Exchange, body: Readable): Promise<void> {
  await pipeline(body, response).catch(() => response.destroy());
}
