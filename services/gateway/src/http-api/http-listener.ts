import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { newId } from '@postmesh/contracts';
import { closeGently } from '@postmesh/internal-http';
import { Drain, SETTINGS, stopTimes } from '@postmesh/service-host';
import { openPort, type Settings } from '@postmesh/settings';
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

// Of the grace of a stop, from the moment when the listener was closed. Who is still sending then may take as long as
// he likes, so he is told to come again; so is, later, whoever waits. The rest is time for reading the response.
const UPLOADS = 0.45;
const REQUESTS = 0.9;
const RESPONSES = 1.1;

const STOPPING = JSON.stringify({ message: 'service temporarily unavailable' });

/**
 * The public HTTP listener. It takes requests straight from Node: nothing is parsed here, so a framework would
 * only add work.
 */
@Injectable()
export class HttpListener {
  private readonly server: Server;
  /** requests without a response, or with a part of it */
  private readonly open = new Map<ServerResponse, IncomingMessage>();

  constructor(
    requests: ApiRequests,
    drain: Drain,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      if (drain.hasBegun || !this.server.listening) response.setHeader('connection', 'close');
      this.open.set(response, request);
      response.once('close', () => this.open.delete(response));
      void requests.handle(request, response);
    };
    this.server = createServer(OPTIONS, handle);
    // refused requests are refused before their body is sent (RFC 9110 §10.1.1)
    this.server.on('checkContinue', handle);
    this.server.on('checkExpectation', handle);
    this.server.on('clientError', respondUnreadable);
    this.server.on('connection', closeGently);
  }

  /**
   * @returns the port, chosen by the system when 0 was asked for
   * @throws Error that names the setting when the port cannot be had
   */
  listen(host: string, port: number): Promise<number> {
    return openPort('POSTMESH_HTTP_PORT', port, async () => {
      await once(this.server.listen(port, host), 'listening');
      const address = this.server.address();
      return typeof address === 'object' && address ? address.port : port;
    });
  }

  /** No new requests; running ones are answered, bounded. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const { graceMs } = stopTimes(this.settings);
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeIdleConnections();
    const timers = [
      setTimeout(() => this.refuse(({ complete }) => !complete), graceMs * UPLOADS),
      setTimeout(() => this.refuse(() => true), graceMs * REQUESTS),
      setTimeout(() => this.server.closeAllConnections(), graceMs * RESPONSES),
    ];
    await closed;
    timers.forEach(clearTimeout);
  }

  /** Whoever handles such a request finds its response sent, and its body cut. */
  private refuse(which: (request: IncomingMessage) => boolean): void {
    for (const [response, request] of this.open) {
      if (response.headersSent || !which(request)) continue;
      // Node tells a request that was answered nothing of the end of its connection
      request.socket.once('close', () => request.destroy());
      response.writeHead(503, {
        'content-type': 'application/json',
        'content-length': STOPPING.length,
        'retry-after': '1',
        connection: 'close',
      });
      response.end(STOPPING);
    }
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
