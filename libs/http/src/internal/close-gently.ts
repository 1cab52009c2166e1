import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const LINGER_MS = 2_000;

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
