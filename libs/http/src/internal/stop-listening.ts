import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

// From the end of a handshake to the first bytes of the request, on a busy machine.
const FIRST_REQUEST_MS = 300;

/**
 * Takes no new connections. `close` of Node's HTTP server destroys at once every connection without a request, also one
 * that was made a moment ago and whose request is on its way; here it has time to come.
 * @returns when all connections are closed; bounded by the caller
 */
export async function stopListening(server: Server): Promise<void> {
  const closed = once(server, 'close');
  NetServer.prototype.close.call(server);
  const idle = setTimeout(() => server.closeIdleConnections(), FIRST_REQUEST_MS);
  await closed;
  clearTimeout(idle);
}
