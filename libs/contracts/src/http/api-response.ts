import type { Readable } from 'node:stream';

/** The response of an operation. The body is a value to serialise once; the same bytes are sent and stored. */
export interface ApiResponse {
  readonly status: number;
  readonly bytes: Buffer;
  /** sent instead of `bytes` when the body is large; never stored for replay */
  readonly stream?: Readable;
  readonly headers?: Readonly<Record<string, string>>;
  /** holds a one-time secret: encrypted where it is stored for replay (spec 1-platform §4.4) */
  readonly secret?: boolean;
}

export function apiResponse(status: number, body: unknown, more: { secret?: boolean } = {}): ApiResponse {
  return { status, bytes: Buffer.from(JSON.stringify(body)), ...more };
}
