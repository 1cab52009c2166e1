import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '@postmesh/observability';
import { z } from 'zod';
import { PublishedRecord, RecordIndex } from './records.rules.js';

/** All records that the service lists for domain owners, and the operator's own zone. */
export const PublishedZone = z.object({
  domains: z.array(z.object({ domain: z.string(), records: z.array(PublishedRecord) })),
  serviceRecords: z.array(PublishedRecord),
});
export type PublishedZone = z.infer<typeof PublishedZone>;

/**
 * Reads the records to publish now. Called once per batch of questions, never concurrently.
 * @param signal aborted when the result would be too late
 */
export type RecordsSource = (signal: AbortSignal) => Promise<PublishedZone>;

/** How long found names may be answered from the last reading. */
const MAX_AGE_MS = 1_000;
/**
 * Maximum age of the last reading while nothing can be read (stale records in the sense of RFC 8767). It covers a
 * restart of the database; older records would be a guess.
 */
const MAX_STALE_MS = 3_600_000;
// Resolvers give up on a server after 5 s; a SERVFAIL should arrive before.
const TIMEOUT_MS = 4_000;

/**
 * The published records, read again for every batch of questions. One reading runs at a time, and a question is
 * answered only by a reading that began after its arrival: a query after the creation of a domain finds it.
 */
export class PublishedRecords {
  private lastReading: Promise<unknown> = Promise.resolve();
  private nextReading: Promise<RecordIndex> | undefined;
  /** `readAt` by the monotonic clock, ms */
  private last: { index: RecordIndex; readAt: number } | undefined;
  private unusable = 0;

  constructor(
    private readonly source: RecordsSource,
    private readonly logger: Logger,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** The last reading, while it is young enough to answer for names that it holds. */
  recent(): RecordIndex | undefined {
    return this.lastWithin(MAX_AGE_MS);
  }

  /** The last reading, for names that it holds, when a new one has failed. */
  stale(): RecordIndex | undefined {
    return this.lastWithin(MAX_STALE_MS);
  }

  /** @throws when the source fails or is too slow */
  fresh(): Promise<RecordIndex> {
    if (this.nextReading === undefined) {
      this.nextReading = this.readAfter(this.lastReading);
      // A failure rejects the waiting questions; without any it must not end the process.
      this.lastReading = this.nextReading.catch(() => {});
    }
    return this.nextReading;
  }

  private lastWithin(maxAgeMs: number): RecordIndex | undefined {
    if (this.last === undefined) return undefined;
    return performance.now() - this.last.readAt <= maxAgeMs ? this.last.index : undefined;
  }

  private async readAfter(running: Promise<unknown>): Promise<RecordIndex> {
    await running;
    // Questions that arrive together have one callback each; one turn of the loop collects them.
    await nextTurn();
    this.nextReading = undefined;
    const readAt = performance.now();
    try {
      const zone = PublishedZone.parse(await this.readInTime());
      const index = new RecordIndex([
        ...zone.domains.flatMap(({ records }) => records),
        ...zone.serviceRecords,
      ]);
      this.warnOfUnusable(index.unusable);
      this.last = { index, readAt };
      return index;
    } catch (error) {
      this.logger.warn(
        { event: 'dns.records_unreadable', err: error },
        'reading published records failed, last ones are answered',
      );
      throw error;
    }
  }

  /** Logs once per change: the list is the same at every reading. */
  private warnOfUnusable(records: number): void {
    if (records > 0 && records !== this.unusable) {
      this.logger.warn({ event: 'dns.records_unusable', records }, 'some records cannot be published');
    }
    this.unusable = records;
  }

  private async readInTime(): Promise<unknown> {
    const { timeoutMs } = this;
    const abort = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        abort.abort();
        reject(new Error(`the records source did not answer within ${timeoutMs} ms`));
      }, timeoutMs);
    });
    try {
      return await Promise.race([this.source(abort.signal), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}
