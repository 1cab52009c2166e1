import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Release } from '@postmesh/concurrency';
import { ApiErrors, type ApiError } from '@postmesh/contracts';
import {
  attachedCall,
  BODY_ACCOUNT_HEADER,
  BODY_MAX_BYTES_HEADER,
  SERVICE_TOKEN_HEADER,
  type ServiceTokens,
} from '@postmesh/http';
import type { Settings } from '@postmesh/settings';
import {
  LARGE_FROM_BYTES,
  readStart,
  toPaceError,
  toRoomError,
  uploadPace,
  type BodyRooms,
  type BodyStart,
} from './body-rooms.js';
import type { UploadPace } from './upload-pace.js';

const ARRIVED_AT = Symbol('arrivedAt');
const ROOM = Symbol('room');

/** A request with a body. */
interface BodyRequest extends FastifyRequest {
  [ARRIVED_AT]?: number;
  /** gives back the memory of the body */
  [ROOM]?: () => void;
}

/**
 * Arrival time of the head of a request with a body. The caller is authenticated as of that time: the principal of a
 * request is valid for half a minute, and its body may take longer.
 */
export const arrivedAt = (request: BodyRequest): number => request[ARRIVED_AT] ?? Date.now();

/**
 * Reads the bodies of requests, each into one buffer. A large one is not read before memory is free for it: its sender
 * waits by TCP flow control, and accounts are served round-robin. A small one is counted as it arrives, and refused
 * when no memory is free. The memory is released with the response.
 */
export class RequestBodies {
  /** bytes, of the API */
  readonly limit: number;
  private readonly memory: { rooms: BodyRooms; pace: UploadPace };

  constructor(
    settings: Settings,
    rooms: BodyRooms,
    private readonly tokens: ServiceTokens,
  ) {
    this.limit = settings.bodyLimitBytes;
    this.memory = { rooms, pace: uploadPace(settings) };
  }

  /**
   * @param limit bytes; that of the API when left out
   * @throws ApiError 408, 413, 429 or 503 when no memory is free in time
   */
  read(request: BodyRequest, stream: IncomingMessage, limit = this.limit): Promise<Buffer> {
    request[ARRIVED_AT] = Date.now();
    const length = lengthOf(request);
    if (length !== undefined && length > limit) return Promise.reject(ApiErrors.bodyTooLarge());
    if (length !== undefined && length >= LARGE_FROM_BYTES) return this.readLarge(request, stream, length);
    return this.readSmall(request, stream, Math.min(limit, this.longestOf(request)));
  }

  /** The response is made: the body is no longer needed. */
  release(request: BodyRequest): void {
    request[ROOM]?.();
  }

  /** A body without a declared length may prove to be large. */
  private async readSmall(request: BodyRequest, stream: IncomingMessage, limit: number): Promise<Buffer> {
    const start = await readStart(stream, { account: sharerOf(request), limit }, this.memory);
    if (!start.whole) return this.readRest(request, stream, { start, limit });
    request[ROOM] = start.release;
    if (start.bytes.length !== (lengthOf(request) ?? start.bytes.length)) throw ApiErrors.invalidBody();
    return start.bytes;
  }

  private async readLarge(request: BodyRequest, stream: IncomingMessage, length: number): Promise<Buffer> {
    await this.enter(request, stream, length);
    const body = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    for await (const chunk of this.chunksOf(request, stream)) filled += chunk.copy(body, filled);
    if (filled !== length) throw ApiErrors.invalidBody();
    return body;
  }

  /**
   * For a body without a declared length that proved to be large: one buffer of the longest allowed length. The body is
   * in memory once; the unused part of the reservation is released when it is complete.
   */
  private async readRest(
    request: BodyRequest,
    stream: IncomingMessage,
    { start, limit }: { start: BodyStart; limit: number },
  ): Promise<Buffer> {
    const room = await this.enter(request, stream, limit).finally(start.release);
    const large = Buffer.allocUnsafeSlow(limit);
    let size = start.bytes.copy(large);
    for await (const chunk of this.chunksOf(request, stream)) {
      if (size + chunk.length > limit) throw ApiErrors.bodyTooLarge();
      size += chunk.copy(large, size);
    }
    // a buffer that is half empty is replaced by one that fits: the reservation covers both
    if (2 * size > limit) return large.subarray(0, size);
    const body = Buffer.allocUnsafeSlow(size);
    large.copy(body, 0, 0, size);
    room.keepOnly(size);
    return body;
  }

  /** Whether a service of this installation sends the request, which may name the account of the body. */
  private ofService({ headers }: BodyRequest): boolean {
    return this.tokens.verify(String(headers[SERVICE_TOKEN_HEADER] ?? '')) !== undefined;
  }

  private longestOf(request: BodyRequest): number {
    const said = Number(request.headers[BODY_MAX_BYTES_HEADER] ?? NaN);
    return Number.isSafeInteger(said) && said > 0 && this.ofService(request)
      ? Math.min(said, this.limit)
      : this.limit;
  }

  /** The account that a service names, else the account of the request. */
  private accountOf(request: BodyRequest): string {
    const named = request.headers[BODY_ACCOUNT_HEADER];
    if (typeof named === 'string' && this.ofService(request)) return named;
    return sharerOf(request) ?? 'internal';
  }

  private async enter(request: BodyRequest, stream: IncomingMessage, size: number): Promise<Release> {
    const gone = new AbortController();
    const leave = () => gone.abort(ApiErrors.invalidBody());
    stream.once('close', leave);
    try {
      const room = await this.memory.rooms.large.enter(this.accountOf(request), size, gone.signal);
      request[ROOM] = room;
      return room;
    } catch (error) {
      throw toRoomError(error);
    } finally {
      stream.off('close', leave);
    }
  }

  /** @throws ApiError 408 when the body stalls, 503 when it is so slow that it keeps others out */
  private async *chunksOf(request: BodyRequest, stream: IncomingMessage): AsyncGenerator<Buffer> {
    // the connection stays open when reading ends early: it still gets a response
    const chunks = stream.iterator({ destroyOnReturn: false });
    const account = this.accountOf(request);
    const { rooms, pace } = this.memory;
    let end: (error: ApiError) => void = () => undefined;
    const tooSlow = new Promise<never>((_resolve, reject) => (end = reject));
    // the other side of the race may have ended before
    tooSlow.catch(() => undefined);
    const watched = pace.watch((verdict) => end(toPaceError(verdict)), {
      isWaitedFor: () => rooms.large.othersWait(account),
      mayStall: sharerOf(request) === undefined,
    });
    try {
      for (;;) {
        const next = await Promise.race([chunks.next(), tooSlow]);
        if (next.done) return;
        watched.arrived((next.value as Buffer).length);
        yield next.value as Buffer;
      }
    } finally {
      watched.stop();
    }
  }
}

/**
 * The owner of the memory for a request from outside: its account, or the caller of a public link. The account of the
 * path is the one of the key (spec 1-platform §1.5). Parts of a path are compared decoded, as routers do: a client may
 * percent-encode any character of them.
 */
function sharerOf({ raw, url, headers }: BodyRequest): string | undefined {
  const principal = attachedCall(raw)?.principal;
  if (principal) return principal.account_id;
  if (url.startsWith('/public/')) return `public/${String(headers['x-client-ip'])}`;
  const [path = ''] = url.split('?', 1);
  const [, version, accounts, account] = path.split('/', 4).map(decodeURIComponent);
  return version === 'v2' && accounts === 'accounts' && account ? account.toLowerCase() : undefined;
}

/** @returns undefined when no length is declared (chunked) */
function lengthOf({ headers }: BodyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined || headers['transfer-encoding'] !== undefined ? undefined : Number(length);
}
