import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as nap } from 'node:timers/promises';

export interface ReceivedRequest {
  method: string;
  /** path and query as they were sent */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  at: Date;
}

interface PlannedResponse {
  /** default 200 */
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** how long the answer is kept back */
  delayMs?: number;
  /** the answer is kept back until this settles */
  until?: Promise<unknown>;
  /** the connection is cut instead of an answer */
  hangUp?: boolean;
}

export interface HttpReceiver {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** oldest first; at most 100,000, then the oldest are forgotten */
  readonly requests: readonly ReceivedRequest[];
  /** How to answer from now on. @param answer fixed, or decided per request; `nth` counts from 1 */
  respondWith(response: PlannedResponse | ((request: ReceivedRequest, nth: number) => PlannedResponse)): void;
  /**
   * Resolves when at least `count` of the requests so far are wanted ones.
   * @throws Error after `timeoutMs` (default 20 s), with how many there were
   */
  waitFor(
    count: number,
    options?: { where?: (request: ReceivedRequest) => boolean; timeoutMs?: number },
  ): Promise<readonly ReceivedRequest[]>;
  /** Forgets what has come. */
  clear(): void;
  close(): Promise<void>;
}

const MOST_KEPT = 100_000;
const LARGEST_BODY_BYTES = 50_000_000;

/** A real HTTP server on a free port of 127.0.0.1 that records requests and answers as the test sets it. */
export async function startHttpReceiver(): Promise<HttpReceiver> {
  const receiver = new Receiver();
  const server = createServer((request, response) => {
    // a client that disconnects while it sends has not sent a request
    receiver.take(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

class Receiver {
  readonly requests: ReceivedRequest[] = [];
  private decide: (request: ReceivedRequest, nth: number) => PlannedResponse = () => ({});
  private received = 0;
  private readonly watchers = new Set<() => void>();

  respondWith(
    response: PlannedResponse | ((request: ReceivedRequest, nth: number) => PlannedResponse),
  ): void {
    this.decide = typeof response === 'function' ? response : () => response;
  }

  clear(): void {
    this.requests.length = 0;
  }

  async take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: ReceivedRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: await readBody(incoming),
      at: new Date(),
    };
    this.received += 1;
    this.requests.push(request);
    if (this.requests.length > MOST_KEPT) this.requests.shift();
    const planned = this.decide(request, this.received);
    for (const look of this.watchers) look();
    if (planned.delayMs !== undefined) await nap(planned.delayMs);
    await planned.until;
    if (planned.hangUp === true) response.destroy();
    else response.writeHead(planned.status ?? 200, planned.headers).end(planned.body);
  }

  waitFor(
    count: number,
    options: { where?: (request: ReceivedRequest) => boolean; timeoutMs?: number } = {},
  ): Promise<readonly ReceivedRequest[]> {
    const wanted = () => this.requests.filter(options.where ?? (() => true));
    const timeoutMs = options.timeoutMs ?? 20_000;
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(limit);
        this.watchers.delete(look);
      };
      const limit = setTimeout(() => {
        end();
        reject(new Error(`${wanted().length} of ${count} requests came within ${timeoutMs} ms`));
      }, timeoutMs);
      const look = () => {
        const found = wanted();
        if (found.length < count) return;
        end();
        resolve(found);
      };
      this.watchers.add(look);
      look();
    });
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk instanceof Buffer ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > LARGEST_BODY_BYTES) throw new Error('a request too large to keep');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
