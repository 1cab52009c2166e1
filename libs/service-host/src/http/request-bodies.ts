import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { BudgetExhausted, ByteBudget, type Release } from '@postmesh/concurrency';
import { ApiError, ApiErrors } from '@postmesh/contracts';
import { BODY_ACCOUNT_HEADER, BODY_MAX_BYTES_HEADER } from '@postmesh/internal-http';
import type { Settings } from '@postmesh/settings';

// Smaller ones pass at once: with the connections that a process has they take no memory to speak of.
const LARGE_FROM_BYTES = 1024 * 1024;
// Of one account, so that another finds room at once.
const ACCOUNT_SHARE = 2 / 3;
const MAX_WAITING_PER_ACCOUNT = 100;
// Within the 90 s for which a gateway waits for its service then, and the minute of common load balancers.
const MAX_WAIT_MS = 45_000;
// 1 MiB/s for the largest messages. A slower client keeps its room for as long as no other account waits.
const SLOW_AFTER_MS = 20_000;
const LOOK_EVERY_MS = 1_000;

/** For all services of a process, as memory is. */
export const largeBodies = ({ largeBytes }: Pick<Settings, 'largeBytes'>): ByteBudget =>
  new ByteBudget({
    maxBytes: largeBytes,
    maxPerKey: Math.floor(largeBytes * ACCOUNT_SHARE),
    freeBelow: LARGE_FROM_BYTES,
    maxWaiting: MAX_WAITING_PER_ACCOUNT,
    maxWaitMs: MAX_WAIT_MS,
  });

const ARRIVED_AT = Symbol('arrivedAt');

/**
 * When the head of a request with a body was here. Who calls is judged by that time: the principal of a request lives
 * for half a minute, and its body may take longer.
 */
export const arrivedAt = (request: FastifyRequest & { [ARRIVED_AT]?: number }): number =>
  request[ARRIVED_AT] ?? Date.now();

// The rest of the body is not read to find the next request behind it.
const busy = () =>
  new ApiError(503, 'service temporarily unavailable', { 'retry-after': '5', connection: 'close' });

/**
 * Reads the bodies of requests, each into one buffer. A large one is not read before there is room for it: the sender
 * is held up by its connection, accounts in turns. The room is given back with the response.
 */
export class RequestBodies {
  private readonly held = new WeakMap<FastifyRequest, Release>();

  /** @param ofService whether a service of this installation sends the request, which may say whose body it is */
  constructor(
    private readonly limit: number,
    private readonly budget: ByteBudget,
    private readonly ofService: (request: FastifyRequest) => boolean,
  ) {}

  /** @throws ApiError 413, 503 when there is no room in time */
  read(request: FastifyRequest & { [ARRIVED_AT]?: number }, stream: IncomingMessage): Promise<Buffer> {
    request[ARRIVED_AT] = Date.now();
    const length = lengthOf(request);
    if (length === undefined) return this.readUnmeasured(request, stream);
    if (length > this.limit) return Promise.reject(ApiErrors.bodyTooLarge());
    return length < LARGE_FROM_BYTES ? readSmall(stream, length) : this.readLarge(request, stream, length);
  }

  /** The response is made: nobody needs the body any more. */
  release(request: FastifyRequest): void {
    this.held.get(request)?.();
  }

  private async readLarge(request: FastifyRequest, stream: IncomingMessage, length: number): Promise<Buffer> {
    await this.enter(request, stream, length);
    const body = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    for await (const chunk of this.chunksOf(request, stream)) filled += chunk.copy(body, filled);
    if (filled !== length) throw ApiErrors.invalidBody();
    return body;
  }

  /**
   * Of a body that does not say how long it is: as soon as it proves to be large, one buffer that holds the longest that
   * it may be. It is in memory once; what was reserved too much is given back when it is whole.
   */
  private async readUnmeasured(request: FastifyRequest, stream: IncomingMessage): Promise<Buffer> {
    const limit = this.longestOf(request);
    const first: Buffer[] = [];
    let large: Buffer | undefined;
    let size = 0;
    for await (const chunk of this.chunksOf(request, stream)) {
      if (size + chunk.length > limit) throw ApiErrors.bodyTooLarge();
      if (!large && size + chunk.length >= LARGE_FROM_BYTES) {
        await this.enter(request, stream, limit);
        large = Buffer.allocUnsafeSlow(limit);
        let filled = 0;
        for (const early of first.splice(0)) filled += early.copy(large, filled);
      }
      if (large) chunk.copy(large, size);
      else first.push(chunk);
      size += chunk.length;
    }
    return large ? this.fitted(request, large, size) : Buffer.concat(first, size);
  }

  /** A buffer that is half empty is changed for one that fits: both have room in what was reserved. */
  private fitted(request: FastifyRequest, large: Buffer, size: number): Buffer {
    if (2 * size > large.length) return large.subarray(0, size);
    const body = Buffer.allocUnsafeSlow(size);
    large.copy(body, 0, 0, size);
    this.held.get(request)?.keepOnly(size);
    return body;
  }

  private longestOf(request: FastifyRequest): number {
    const said = Number(request.headers[BODY_MAX_BYTES_HEADER] ?? NaN);
    return Number.isSafeInteger(said) && said > 0 && this.ofService(request)
      ? Math.min(said, this.limit)
      : this.limit;
  }

  /** The account that a service names, else that of the path: it is the one of the key (spec 1-platform §1.5). */
  private accountOf(request: FastifyRequest): string {
    const named = request.headers[BODY_ACCOUNT_HEADER];
    if (typeof named === 'string' && this.ofService(request)) return named;
    const [, version, accounts, account] = request.url.split('/', 4);
    return version === 'v2' && accounts === 'accounts' && account ? account.toLowerCase() : 'internal';
  }

  private async enter(request: FastifyRequest, stream: IncomingMessage, size: number): Promise<void> {
    const gone = new AbortController();
    const leave = () => gone.abort(ApiErrors.invalidBody());
    stream.once('close', leave);
    try {
      this.held.set(request, await this.budget.enter(this.accountOf(request), size, gone.signal));
    } catch (error) {
      throw error instanceof BudgetExhausted ? busy() : error;
    } finally {
      stream.off('close', leave);
    }
  }

  /** @throws ApiError 503 when the client is so slow that it keeps others out */
  private async *chunksOf(request: FastifyRequest, stream: IncomingMessage): AsyncGenerator<Buffer> {
    // the connection lives on when reading ends early: it is still to get a response
    const chunks = stream.iterator({ destroyOnReturn: false });
    const slow = new Slowness(
      () => this.held.has(request) && this.budget.othersWait(this.accountOf(request)),
    );
    try {
      for (;;) {
        const next = await Promise.race([chunks.next(), slow.met]);
        if (next.done) return;
        yield next.value as Buffer;
      }
    } finally {
      slow.stop();
    }
  }
}

/** Fails once the time is over and somebody waits. */
class Slowness {
  readonly met: Promise<never>;
  private timer: NodeJS.Timeout | undefined;

  constructor(isWaitedFor: () => boolean) {
    const until = performance.now() + SLOW_AFTER_MS;
    this.met = new Promise((_resolve, reject) => {
      this.timer = setInterval(() => {
        if (performance.now() > until && isWaitedFor()) reject(busy());
      }, LOOK_EVERY_MS);
    });
    // whoever races against it may have ended before
    this.met.catch(() => undefined);
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

/** @returns undefined while nobody knows (chunked) */
function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined || headers['transfer-encoding'] !== undefined ? undefined : Number(length);
}

/** By events, which cost less than an iterator: nearly every request comes along here. */
function readSmall(stream: IncomingMessage, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
    };
    const onEnd = () => {
      stream.off('close', onClose);
      // always copied: a chunk is a view into the buffer that the socket was read with
      if (size === length) resolve(Buffer.concat(chunks, size));
      else reject(ApiErrors.invalidBody());
    };
    const onClose = () => reject(ApiErrors.invalidBody());
    stream.on('data', onData).once('end', onEnd).once('close', onClose);
    stream.once('error', reject);
  });
}
