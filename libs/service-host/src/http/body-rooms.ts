import type { IncomingMessage } from 'node:http';
import { BudgetExhausted, ByteBudget } from '@postmesh/concurrency';
import { ApiError, ApiErrors } from '@postmesh/contracts';
import type { Settings } from '@postmesh/settings';
import { UploadPace, type PaceVerdict } from './upload-pace.js';

/** Larger bodies wait for memory before they are read; smaller ones count as they arrive (decisions 34 and 71). */
export const LARGE_FROM_BYTES = 1024 * 1024;

// The share of one account, so that another account gets memory at once.
const LARGE_SHARE = 2 / 3;
const SMALL_SHARE = 1 / 3;
const MAX_WAITING_PER_ACCOUNT = 100;
// Less than the 90 s for which a gateway then waits for its service, and the minute of common load balancers.
const MAX_WAIT_MS = 45_000;
// Memory of a connection, a request and its objects in addition to the bytes, so that empty uploads are bounded, too.
const REQUEST_BYTES = 16 * 1024;

/** Memory for request bodies, shared by all services of a process. */
export interface BodyRooms {
  readonly small: ByteBudget;
  readonly large: ByteBudget;
}

export const bodyRooms = ({
  largeBytes,
  bodyBytes,
}: Pick<Settings, 'largeBytes' | 'bodyBytes'>): BodyRooms => ({
  small: new ByteBudget({
    maxBytes: bodyBytes,
    maxPerKey: Math.floor(bodyBytes * SMALL_SHARE),
    freeBelow: 0,
  }),
  large: new ByteBudget({
    maxBytes: largeBytes,
    maxPerKey: Math.floor(largeBytes * LARGE_SHARE),
    freeBelow: LARGE_FROM_BYTES,
    maxWaiting: MAX_WAITING_PER_ACCOUNT,
    maxWaitMs: MAX_WAIT_MS,
  }),
});

export const uploadPace = (
  settings: Pick<Settings, 'uploadStallSeconds' | 'uploadMinBytesPerSecond'>,
): UploadPace =>
  new UploadPace({
    stallMs: settings.uploadStallSeconds * 1_000,
    minBytesPerSecond: settings.uploadMinBytesPerSecond,
  });

// The rest of a body that is refused is not read to find the next request behind it.
const CLOSE = { connection: 'close' };

const busy = () => new ApiError(503, 'service temporarily unavailable', { 'retry-after': '5', ...CLOSE });

/** The error of a body without memory: 429 when its account has used its share, 503 when the whole is used. */
export function toRoomError(error: unknown): unknown {
  if (!(error instanceof BudgetExhausted)) return error;
  if (!error.ofKey) return busy();
  const { status, message, headers } = ApiErrors.rateLimited(1);
  return new ApiError(status, message, { ...headers, ...CLOSE });
}

export const toPaceError = (verdict: PaceVerdict): ApiError =>
  verdict === 'stalled' ? ApiErrors.bodyTooSlow() : busy();

/** The beginning of a body: the whole body, unless it is large. */
export interface BodyStart {
  readonly bytes: Buffer;
  /** the body is complete; otherwise the stream is paused, and has 1 MiB or more */
  readonly whole: boolean;
  /** Releases its memory: call it once the bytes are no longer needed. */
  readonly release: () => void;
}

export interface ReadOptions {
  /** the account whose share it takes; undefined: a service of this installation, with its own bounds and timeouts */
  readonly account: string | undefined;
  /** bytes; one more is 413 */
  readonly limit: number;
}

/**
 * Reads a body to its end, or until it proves to be large. Each byte is counted as it arrives: a declared length is
 * not trusted. Uses events, which cost less than an iterator: nearly every request is read here.
 * @throws ApiError 400 (broken off), 408, 413, 429, 503
 */
export function readStart(
  stream: IncomingMessage,
  { account, limit }: ReadOptions,
  { rooms, pace }: { rooms: BodyRooms; pace: UploadPace },
): Promise<BodyStart> {
  return new Promise((resolve, reject) => {
    const held = account === undefined ? undefined : rooms.small.hold(account);
    const release = () => held?.release();
    const chunks: Buffer[] = [];
    let size = 0;
    const leave = () => {
      watched?.stop();
      stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', fail);
    };
    const fail = (error: unknown) => {
      leave();
      stream.pause();
      release();
      reject(error as Error);
    };
    const succeed = (whole: boolean) => {
      leave();
      // always copied: a chunk may be a view into the buffer that the socket was read with
      resolve({ bytes: Buffer.concat(chunks, size), whole, release });
    };
    const onData = (chunk: Buffer) => {
      watched?.arrived(chunk.length);
      size += chunk.length;
      if (size > limit) return fail(ApiErrors.bodyTooLarge());
      if (!grow(chunk.length)) return;
      chunks.push(chunk);
      if (size < LARGE_FROM_BYTES) return;
      stream.pause();
      succeed(false);
    };
    const onEnd = () => succeed(true);
    const onClose = () => fail(ApiErrors.invalidBody());
    const grow = (bytes: number): boolean => {
      try {
        held?.grow(bytes);
        return true;
      } catch (error) {
        fail(toRoomError(error));
        return false;
      }
    };
    const watched = held && pace.watch((verdict) => fail(toPaceError(verdict)));
    if (stream.destroyed) return onClose();
    if (grow(REQUEST_BYTES))
      stream.on('data', onData).once('end', onEnd).once('close', onClose).once('error', fail);
  });
}
