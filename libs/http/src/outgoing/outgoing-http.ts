import { unescape as decodePercent } from 'node:querystring';
import { rootCertificates } from 'node:tls';
import { Agent } from 'undici';
import { describeTrouble, type CallTrouble } from './call-trouble.rules.js';
import { createHostResolver, guardedConnector, TargetRefused } from './guarded-connector.js';
import { readRedirect, type RedirectTrouble } from './redirect.rules.js';
import { AddressPolicy, isBadPort } from './target.rules.js';

export interface OutgoingHttpOptions {
  /** networks (CIDR) that may be called in addition to public addresses */
  allow: readonly string[];
  /** resolvers as `ip:port`; none = the system's */
  dnsServers: readonly string[];
  /** open connections per origin; a further call waits within its own timeout */
  connectionsPerOrigin: number;
  /** certificates trusted in addition to those of Node, PEM */
  ca?: string | undefined;
}

export interface OutgoingPost {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** for the whole call: DNS, connection, TLS, request, redirects, answer */
  timeoutMs: number;
  /** the number of bytes that are read of the answer's body */
  maxResponseBytes: number;
  /** the number of these bytes that are kept */
  keptResponseBytes: number;
}

export type OutgoingResponse =
  | {
      kind: 'answered';
      status: number;
      /** the beginning of the body */
      start: Buffer;
      /** number of redirects followed to this answer */
      redirects: number;
      /** set when the answer is a redirect that must not be followed */
      refused?: RedirectTrouble;
      /** header Retry-After of the answer, unchanged (RFC 9110 §10.2.3) */
      retryAfter?: string;
      durationMs: number;
    }
  | { kind: 'failed'; trouble: CallTrouble; code: string; durationMs: number };

export interface OutgoingFetch {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** for the whole call, including the body */
  timeoutMs: number;
  /** a longer body is a failure, since half a document is useless */
  maxResponseBytes: number;
  /** posted; left out: the document is fetched by GET */
  body?: Buffer | undefined;
  /** how a body is sent; default POST */
  method?: 'POST' | 'PATCH' | undefined;
}

export type OutgoingDocument =
  | { kind: 'answered'; status: number; contentType: string; body: Buffer; durationMs: number }
  | { kind: 'failed'; trouble: CallTrouble | 'too-long'; code: string; durationMs: number };

/**
 * HTTP to URLs given by customers and recipients' domains: permitted addresses only (see AddressPolicy), also at each
 * redirect, TLS verified, no proxy, connections kept alive. A failure of the remote is an answer, not an exception.
 */
export class OutgoingHttp {
  private readonly agent: Agent;

  /** @throws Error when `allow` or `dnsServers` has an invalid entry */
  constructor(options: OutgoingHttpOptions) {
    const connect = guardedConnector({
      policy: new AddressPolicy(options.allow),
      resolve: createHostResolver(options.dnsServers),
      timeoutMs: CONNECT_TIMEOUT_MS,
      ca: options.ca === undefined ? undefined : [...rootCertificates, options.ca],
    });
    this.agent = new Agent({
      connect,
      connections: options.connectionsPerOrigin,
      pipelining: 1,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    });
  }

  /** @returns the answer; never throws for a failure of the remote */
  async post(call: OutgoingPost): Promise<OutgoingResponse> {
    const startedAt = performance.now();
    const durationMs = () => Math.round(performance.now() - startedAt);
    try {
      const answer = await withinTime(call.timeoutMs, (signal, expired) => this.send(call, signal, expired));
      return { kind: 'answered', ...answer, durationMs: durationMs() };
    } catch (error) {
      return { kind: 'failed', ...describeTrouble(error), durationMs: durationMs() };
    }
  }

  /** Follows no redirect. @returns the document; never throws for a failure of the remote */
  async fetch(call: OutgoingFetch): Promise<OutgoingDocument> {
    const startedAt = performance.now();
    const durationMs = () => Math.round(performance.now() - startedAt);
    try {
      const read = await withinTime(call.timeoutMs, (signal, expired) =>
        Promise.race([this.read(call, signal), expired]),
      );
      if (read.body !== undefined)
        return { kind: 'answered', ...read, body: read.body, durationMs: durationMs() };
      return {
        kind: 'failed',
        trouble: 'too-long',
        code: `${call.maxResponseBytes}`,
        durationMs: durationMs(),
      };
    } catch (error) {
      return { kind: 'failed', ...describeTrouble(error), durationMs: durationMs() };
    }
  }

  /** Ends running calls as failed and closes every connection. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async send(call: OutgoingPost, signal: AbortSignal, expired: Promise<never>): Promise<Answer> {
    let { url } = call;
    for (let redirects = 0; ; redirects++) {
      // undici observes the signal only after connecting; the race covers the wait for a connection
      const response = await Promise.race([this.request('POST', { ...call, url }, signal), expired]);
      const { statusCode: status, headers } = response;
      const start = await readStart(response.body, call);
      const location = headers['location'];
      const next = readRedirect({ status, location: single(location), from: url, followed: redirects });
      if (next?.kind !== 'follow') {
        const retryAfter = single(headers['retry-after']);
        return {
          status,
          start,
          redirects,
          ...(next ? { refused: next.trouble } : {}),
          ...(retryAfter === undefined ? {} : { retryAfter }),
        };
      }
      url = next.url;
    }
  }

  private async read(call: OutgoingFetch, signal: AbortSignal) {
    const method = call.body === undefined ? 'GET' : (call.method ?? 'POST');
    const { statusCode: status, headers, body } = await this.request(method, call, signal);
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of body as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > call.maxResponseBytes) break;
      pieces.push(piece);
    }
    const whole = length > call.maxResponseBytes ? undefined : Buffer.concat(pieces);
    return { status, contentType: String(headers['content-type'] ?? ''), body: whole };
  }

  private async request(
    method: 'GET' | 'POST' | 'PATCH',
    call: Pick<OutgoingFetch, 'url' | 'headers' | 'body'>,
    signal: AbortSignal,
  ) {
    const { url, headers, body } = call;
    if (isBadPort(url)) throw new TargetRefused(url.host);
    return this.agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { ...credentialsOf(url), ...headers },
      body,
      signal,
    });
  }
}

type Answer = Omit<Extract<OutgoingResponse, { kind: 'answered' }>, 'kind' | 'durationMs'>;

/** The status decides: a body that is long, slow or cut off costs its connection, not the outcome. */
async function readStart(
  body: AsyncIterable<Buffer>,
  { maxResponseBytes, keptResponseBytes }: OutgoingPost,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of body) {
      if (length < keptResponseBytes) pieces.push(piece.subarray(0, keptResponseBytes - length));
      length += piece.length;
      if (length > maxResponseBytes) break;
    }
  } catch {
    // the bytes up to here are kept
  }
  return Buffer.concat(pieces);
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** @param call ends by its signal; `expired` rejects with it, for steps that do not observe it */
async function withinTime<T>(
  timeoutMs: number,
  call: (signal: AbortSignal, expired: Promise<never>) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const expired = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
  });
  const timer = setTimeout(
    () => limit.abort(new DOMException('the call took too long', 'TimeoutError')),
    timeoutMs,
  );
  try {
    return await call(limit.signal, expired);
  } finally {
    clearTimeout(timer);
  }
}

// The host announces for how long it keeps a connection; a call on a closed connection is a failed attempt.
const KEEP_ALIVE_MARGIN_MS = 2_000;
// An unused connection attempt is given up after this time.
const CONNECT_TIMEOUT_MS = 10_000;

/** The user information of a URL (RFC 3986 §3.2.1) is sent as Basic authentication (RFC 7617). */
function credentialsOf(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodePercent(url.username)}:${decodePercent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
