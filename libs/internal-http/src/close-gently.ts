import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const LINGER_MS = 2_000;

/**
 * Lets a client read its response although it is still sending. Node destroys a connection as soon as the
 * response is written; what the client sends after that makes TCP reset it, and the response is lost with the
 * rest (RFC 9112 §9.6). From now on our side is closed first, and the connection two seconds later, unless
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

/** Whether some of its body is still to come: what answers it now closes the connection, since nothing reads the rest. */
export const isUnread = ({ complete, headers }: IncomingMessage): boolean =>
  // a request without a body is complete only after its head was handled
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
