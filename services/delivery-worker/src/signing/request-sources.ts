import { LRUCache } from 'lru-cache';
import type { BlobStore } from '@postmesh/blob-store';
import { SingleFlight } from '@postmesh/concurrency';
import { Poison } from '@postmesh/contracts';
import type { ComposedBody, PreparedBody } from '@postmesh/mail-format';
import { readRequestContent, type StoredContent } from '@postmesh/message-content';

/** The content of a send request, as cached while messages are composed from it. */
export interface RequestSource {
  readonly content: StoredContent;
  /** created with the first message that can use it */
  body?: Promise<CommonBody>;
}

export interface CommonBody {
  readonly composed: ComposedBody;
  readonly hash: PreparedBody;
}

// The recipients of one request, at most 100, are sent to within seconds of each other.
const KEEP_MS = 30_000;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_KEPT = 1_000;
// The content's bytes, and as much again and a third for a body that is encoded once.
const WEIGHT_PER_BYTE = 2.4;

/** Reads the contents of send requests, together with others that are requested at the same moment. */
export class RequestSources {
  private readonly bytes: GatheredReads<Buffer>;
  private readonly reading = new SingleFlight<string, RequestSource | undefined>();
  private readonly kept = new LRUCache<string, RequestSource & { bytes: number }>({
    max: MAX_KEPT,
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ bytes }) => Math.ceil(bytes * WEIGHT_PER_BYTE),
    ttl: KEEP_MS,
    ttlAutopurge: true,
    ttlResolution: 0,
    perf: Date,
  });

  constructor(blobs: BlobStore) {
    this.bytes = new GatheredReads((ids) => blobs.get(ids));
  }

  /** @returns undefined when it is gone @throws Poison when it is broken */
  async read(contentId: string): Promise<RequestSource | undefined> {
    const bytes = await this.bytes.read(contentId);
    return bytes && { content: parse(bytes) };
  }

  /** The same, cached for other recipients. */
  async readAndKeep(contentId: string): Promise<RequestSource | undefined> {
    return (
      this.kept.get(contentId) ??
      this.reading.run(contentId, async () => {
        const bytes = await this.bytes.read(contentId);
        const source = bytes && { content: parse(bytes), bytes: bytes.length };
        if (source) this.kept.set(contentId, source);
        return source;
      })
    );
  }
}

function parse(bytes: Buffer): StoredContent {
  try {
    return readRequestContent(bytes);
  } catch (error) {
    throw new Poison('the content of the message is broken', { cause: error });
  }
}

interface Waiter<V> {
  resolve: (value: V | undefined) => void;
  reject: (error: unknown) => void;
}

/** Reads of the same turn of the event loop share one statement. */
class GatheredReads<V> {
  private waiting = new Map<string, Waiter<V>[]>();

  constructor(private readonly readAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>) {}

  /** @returns undefined when there is nothing under this id; rejects when the common read does */
  read(id: string): Promise<V | undefined> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) setImmediate(() => void this.readWaiting());
      const waiter = { resolve, reject };
      const others = this.waiting.get(id);
      if (others) others.push(waiter);
      else this.waiting.set(id, [waiter]);
    });
  }

  private async readWaiting(): Promise<void> {
    const { waiting } = this;
    this.waiting = new Map();
    try {
      const found = await this.readAll([...waiting.keys()]);
      for (const [id, waiters] of waiting) waiters.forEach(({ resolve }) => resolve(found.get(id)));
    } catch (error) {
      for (const waiters of waiting.values()) waiters.forEach(({ reject }) => reject(error));
    }
  }
}
