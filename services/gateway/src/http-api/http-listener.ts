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
import { closeGently, stopListening } from '@postmesh/http';
import { Drain, SETTINGS, stopTimes } from '@postmesh/service-host';
import { openPort, type Settings } from '@postmesh/settings';
import { AccountStreams } from '../console/account-streams.js';
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

// Shares of the grace period of a stop, from the closing of the listener. At the first one, requests whose body is still
// arriving get a 503, because an upload has no end in sight; at the second one, requests that wait for a response. The
// rest is time for clients to read the response.
const UPLOADS = 0.45;
const REQUESTS = 0.9;
const RESPONSES = 1.1;

const STOPPING = JSON.stringify({ message: 'service temporarily unavailable' });

/**
 * The public HTTP listener. It uses Node's HTTP server directly: no body is parsed here, so a framework would
 * only add cost.
 */
@Injectable()
export class HttpListener {
  private readonly server: Server;
  /** requests without a complete response */
  private readonly open = new Map<ServerResponse, IncomingMessage>();

  constructor(
    requests: ApiRequests,
    drain: Drain,
    private readonly streams: AccountStreams,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      if (drain.hasBegun || !this.server.listening) response.setHeader('connection', 'close');
      this.open.set(response, request);
      response.once('close', () => this.open.delete(response));
      void requests.handle(request, response);
    };
    this.server = createServer(OPTIONS, handle);
    // such requests are rejected before the client sends their body (RFC 9110 §10.1.1)
    this.server.on('checkContinue', handle);
    this.server.on('checkExpectation', handle);
    this.server.on('clientError', respondUnreadable);
    this.server.on('connection', closeGently);
  }

  /**
   * @returns the port, chosen by the system for port 0
   * @throws Error that names the setting when the port cannot be opened
   */
  listen(host: string, port: number): Promise<number> {
    return openPort('POSTMESH_HTTP_PORT', port, async () => {
      const { reusePort } = this.settings;
      await once(this.server.listen({ port, host, reusePort }), 'listening');
      const address = this.server.address();
      return typeof address === 'object' && address ? address.port : port;
    });
  }

  /** Stops accepting requests; running ones get a response within the grace period. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const { graceMs } = stopTimes(this.settings);
    const closed = stopListening(this.server);
    this.streams.endAll();
    const timers = [
      setTimeout(() => this.refuse(({ complete }) => !complete), graceMs * UPLOADS),
      setTimeout(() => this.refuse(() => true), graceMs * REQUESTS),
      setTimeout(() => this.server.closeAllConnections(), graceMs * RESPONSES),
    ];
    await closed;
    timers.forEach(clearTimeout);
  }

  /** Responds 503 to matching requests and ends their bodies; their handlers see a response that was sent. */
  private refuse(which: (request: IncomingMessage) => boolean): void {
    for (const [response, request] of this.open) {
      if (response.headersSent || !which(request)) continue;
      // Node emits no event on a request whose response is sent when its connection ends
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

/** Responds to unparsable HTTP with an error in the form of the contract. */
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
