import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const LINGER_MS = 2_000;
// A body of this size is read to its end, so that the connection serves the next request.
const READ_TO_END_BYTES = 64 * 1024;

/**
 * Lets a client read its response while it is still sending. Node destroys a connection as soon as the
 * response is written; later bytes of the client then cause a TCP reset, which loses the response
 * (RFC 9112 §9.6). This function closes our side first and the connection two seconds later, unless
 * the client closes it.
 */
export function closeGently(socket: Socket): void {
  socket.destroySoon = () => {
    if (socket.destroyed) return;
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.resume();
  };
}

/** Whether part of the body is still to come. A response at this point closes the connection: the rest is not read. */
export const isUnread = ({ complete, headers }: IncomingMessage): boolean =>
  // a request without a body is complete only after its head was handled
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/**
 * To be called before the head of a response is written. The rest of a short body is read after the response; the
 * connection ends with a longer one, and with one that the client does not send without leave (RFC 9110 §10.1.1).
 * @returns whether the head has to say `connection: close`
 */
export function readRestLater(request: IncomingMessage, response: ServerResponse): boolean {
  if (!isUnread(request)) return false;
  response.once('finish', () => request.resume());
  const { headers } = request;
  const isShort =
    headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= READ_TO_END_BYTES;
  return !isShort || headers.expect !== undefined;
}
