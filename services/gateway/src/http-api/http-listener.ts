import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { newId } from '@postmesh/contracts';
import { ApiRequests } from './api-requests.js';

const OPTIONS = {
  // longer than the 60 s of common load balancers, so that they close first
  keepAliveTimeout: 65_000,
  headersTimeout: 30_000,
  // a slow client needs time for 30 MB
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
  noDelay: true,
};

// Running requests get this long after the last listener was closed; all-in-one has 10 s in all.
const DRAIN_MS = 5_000;

const LINGER_MS = 2_000;

/**
 * The public HTTP listener. It takes requests straight from Node: nothing is parsed here, so a framework would
 * only add work.
 */
@Injectable()
export class HttpListener {
  private readonly server: Server;

  constructor(requests: ApiRequests) {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      if (!this.server.listening) response.setHeader('connection', 'close');
      void requests.handle(request, response);
    };
    this.server = createServer(OPTIONS, handle);
    // refused requests are refused before their body is sent (RFC 9110 §10.1.1)
    this.server.on('checkContinue', handle);
    this.server.on('checkExpectation', handle);
    this.server.on('clientError', respondUnreadable);
    this.server.on('connection', (socket: Socket) => closeGently(socket));
  }

  /**
   * @returns the port, chosen by the system when 0 was asked for
   * @throws Error that names the setting when the port cannot be had
   */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const failed = (error: Error) =>
        reject(new Error(`POSTMESH_HTTP_PORT: ${error.message}`, { cause: error }));
      this.server.once('error', failed);
      this.server.listen(port, host, () => {
        this.server.off('error', failed);
        const address = this.server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  /** No new requests; running ones end, bounded. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeIdleConnections();
    const timer = setTimeout(() => this.server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearTimeout(timer);
  }
}

const UNREADABLE: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** What is no HTTP gets an error in the contract's form all the same. */
function respondUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = UNREADABLE[error.code ?? ''] ?? 400;
  const body = JSON.stringify({ message: status === 400 ? 'invalid request' : STATUS_CODES[status] });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${newId()}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/**
 * Lets a client read its response although it is still sending. Node destroys a connection as soon as the
 * response is written; what the client sends after that makes TCP reset it, and the response is lost with the
 * rest (RFC 9112 §9.6). From now on our side is closed first, and the connection two seconds later, unless
 * the client closes it.
 */
function closeGently(socket: Socket): void {
  socket.destroySoon = () => {
    if (socket.destroyed) return;
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.resume();
  };
}
