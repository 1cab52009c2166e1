import type { Readable } from 'node:stream';
import type { EntityManager } from 'typeorm';

export interface Content {
  /** UUID in lower case, chosen by the caller and used for these bytes only */
  id: string;
  bytes: Buffer;
}

/**
 * Stores the content of messages (architecture §3.7). Content never changes under its id: putting an id again is
 * allowed with the same bytes only and does nothing then. Up to 20 MiB each.
 * Every method throws TypeError for an id that is no UUID in lower case.
 */
export interface BlobStore {
  /**
   * Whether `put` can join a transaction of the caller. If it can, content and the rows that name it are stored
   * together or not at all. If it cannot, put the content first and write the rows after: a crash in between leaves
   * content without a row, never rows without content.
   */
  readonly transactional: boolean;
  /**
   * Durable when it resolves; in a joined transaction, when that commits. When it rejects, some of the contents may be
   * stored.
   * @param manager the caller's transaction; a store or database that cannot join it stores at once
   */
  put(contents: readonly Content[], manager?: EntityManager): Promise<void>;
  /** Ids without content are missing in the result. It holds all contents at once: request few large ones. */
  get(ids: readonly string[]): Promise<Map<string, Buffer>>;
  /**
   * Holds one slice at a time. The stream fails with BlobMissing when there is no such content.
   * @param from the first byte to read; the bytes before it are not read. Beyond the end the stream is empty.
   */
  stream(id: string, from?: number): Readable;
  /** Ids without content are ignored. */
  delete(ids: readonly string[]): Promise<void>;
  /**
   * Ids whose own time is in the span, up to a thousand together, to search for content that no row names. Only
   * contents under a UUIDv7 (RFC 9562 §5.7), whose first 48 bits are that time.
   */
  idsOf(span: Span): AsyncIterable<string[]>;
  /** Whether content can be read and written now. */
  ready(): Promise<boolean>;
  close(): Promise<void>;
}

/** From `from` (inclusive) to `to` (exclusive), in milliseconds. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** There is no content under this id, or no longer. */
export class BlobMissing extends Error {
  constructor(readonly id: string) {
    super(`there is no content ${id}`);
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @throws TypeError: an id names a file in one driver, so nothing else may pass */
export function checkIds(ids: readonly string[]): void {
  if (!ids.every((id) => UUID.test(id))) throw new TypeError('a content id is a UUID in lower case');
}

/** The position of a time in the order of ids: every UUIDv7 of that time or later sorts after it. */
export function placeOf(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Whether it is a UUIDv7 with a time in the span. */
export function isOfSpan(id: string, { from, to }: Span): boolean {
  return UUID.test(id) && id[14] === '7' && id >= placeOf(from) && id < placeOf(to);
}
