import { setImmediate as nextTurn } from 'node:timers/promises';
import { PublishedZone, type RecordsSource } from './published-zone.js';
import { RecordIndex } from './record-index.js';

interface Waiting {
  promise: Promise<RecordIndex>;
  resolve(index: RecordIndex): void;
  reject(error: unknown): void;
}

export interface FreshRecordsOptions {
  source: RecordsSource;
  /** How long found names may be answered from the last reading. */
  rememberMs: number;
  /** A reading that takes longer counts as failed; below the 5 s after which resolvers give up on us. */
  timeoutMs: number;
  now?: () => number;
  onFailure(error: unknown): void;
  onUnusable(count: number): void;
}

/**
 * The published records, read anew for every batch of questions. One reading runs at a time, and a question
 * is answered only by a reading that began after it was asked: who creates a domain and then asks, sees it.
 */
export class FreshRecords {
  private reading = false;
  private next: Waiting | undefined;
  private last: { index: RecordIndex; readAt: number } | undefined;
  private readonly now: () => number;

  constructor(private readonly options: FreshRecordsOptions) {
    this.now = options.now ?? Date.now;
  }

  /** The last reading, while it is young enough to answer for names that it holds. */
  recent(): RecordIndex | undefined {
    if (this.last === undefined) return undefined;
    return this.now() - this.last.readAt <= this.options.rememberMs ? this.last.index : undefined;
  }

  /** @throws when the source fails or is too slow */
  fresh(): Promise<RecordIndex> {
    this.next ??= waiting();
    const { promise } = this.next;
    if (!this.reading) void this.read();
    return promise;
  }

  private async read(): Promise<void> {
    this.reading = true;
    while (this.next !== undefined) {
      // Questions that arrive together come one callback each; one turn of the loop gathers them.
      await nextTurn();
      const batch = this.next;
      this.next = undefined;
      await this.readFor(batch);
    }
    this.reading = false;
  }

  private async readFor(batch: Waiting): Promise<void> {
    const readAt = this.now();
    try {
      const index = RecordIndex.of(PublishedZone.parse(await this.readInTime()));
      if (index.unusable > 0) this.options.onUnusable(index.unusable);
      this.last = { index, readAt };
      batch.resolve(index);
    } catch (error) {
      this.options.onFailure(error);
      batch.reject(error);
    }
  }

  private async readInTime(): Promise<unknown> {
    const abort = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        abort.abort();
        reject(new Error(`the records source did not answer within ${this.options.timeoutMs} ms`));
      }, this.options.timeoutMs);
    });
    try {
      return await Promise.race([this.options.source(abort.signal), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function waiting(): Waiting {
  let resolve: Waiting['resolve'] = () => {};
  let reject: Waiting['reject'] = () => {};
  const promise = new Promise<RecordIndex>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Whoever waits hears of the failure; a batch whose askers are gone must not end the process.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
