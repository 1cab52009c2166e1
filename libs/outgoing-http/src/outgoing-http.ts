import { unescape as decodePercent } from 'node:querystring';
import { rootCertificates } from 'node:tls';
import { Agent } from 'undici';
import { describeTrouble, type CallTrouble } from './call-trouble.rules.js';
import { createHostResolver, guardedConnector, TargetRefused } from './guarded-connector.js';
import { readRedirect, type RedirectTrouble } from './redirect.rules.js';
import { AddressPolicy, isBadPort } from './target.rules.js';

export interface OutgoingHttpOptions {
  /** networks (CIDR) that may be called besides public addresses */
  allow: readonly string[];
  /** resolvers as `ip:port`; none = the system's */
  dnsServers: readonly string[];
  /** open connections per origin; a call beyond them waits inside its own timeout */
  connectionsPerOrigin: number;
  /** certificates trusted besides those that Node brings along, PEM */
  ca?: string | undefined;
}

export interface OutgoingPost {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** for all of it: DNS, connection, TLS, request, redirects, answer */
  timeoutMs: number;
  /** of the answer's body this much is read */
  maxResponseBytes: number;
  /** and this much of it kept; the rest is thrown away */
  keptResponseBytes: number;
}

export type OutgoingResponse =
  | {
      kind: 'answered';
      status: number;
      /** how the body begins */
      start: Buffer;
      /** how many redirects were followed to this answer */
      redirects: number;
      /** set when the answer is a redirect that may not be followed */
      refused?: RedirectTrouble;
      /** header Retry-After of the answer, as it came (RFC 9110 §10.2.3) */
      retryAfter?: string;
      durationMs: number;
    }
  | { kind: 'failed'; trouble: CallTrouble; code: string; durationMs: number };

export interface OutgoingGet {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** for all of it, the body included */
  timeoutMs: number;
  /** a longer body is a failure: nobody wants half of it */
  maxResponseBytes: number;
}

export type OutgoingDocument =
  | { kind: 'answered'; status: number; contentType: string; body: Buffer; durationMs: number }
  | { kind: 'failed'; trouble: CallTrouble | 'too-long'; code: string; durationMs: number };

/**
 * HTTP to URLs that customers and recipients' domains name: permitted addresses only (see AddressPolicy), at each hop
 * of a redirect too, TLS verified, no proxy, connections kept alive. A remote's failure is an answer here, not an exception.
 */
export class OutgoingHttp {
  private readonly agent: Agent;

  /** @throws Error when `allow` or `dnsServers` holds something else than what it should */
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

  /** @returns what came back; never throws for what the other side does or fails to do */
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

  /** @returns the document; never throws for what the other side does or fails to do */
  async get(call: OutgoingGet): Promise<OutgoingDocument> {
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
      // undici heeds the signal only once a connection is there; the race covers the wait for one
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

  private async read(call: OutgoingGet, signal: AbortSignal) {
    const { statusCode: status, headers, body } = await this.request('GET', call, signal);
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
    method: 'GET' | 'POST',
    call: Pick<OutgoingPost, 'url' | 'headers'> & { body?: Buffer },
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

/** The status has decided: a body that is long, slow or cut off costs its connection, not the outcome. */
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
    // what came of it is kept
  }
  return Buffer.concat(pieces);
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** @param call ends by its signal; `expired` rejects with it, for what does not heed it */
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

// A host says for how long it keeps a connection; a call that meets its end is a failed attempt.
const KEEP_ALIVE_MARGIN_MS = 2_000;
// A connection that nobody waits for any more is given up after this long.
const CONNECT_TIMEOUT_MS = 10_000;

/** A URL may carry a name and password (RFC 3986 §3.2.1): they travel as Basic authentication (RFC 7617). */
function credentialsOf(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodePercent(url.username)}:${decodePercent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
