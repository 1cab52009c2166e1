import { Signal } from '@postmesh/concurrency';
import { Transient } from '@postmesh/contracts';
import type { EachBatchPayload } from 'kafkajs';
import type { BusLogger, ReceivedEvent } from '../event-bus.port.js';
import { Redelivery } from '../redelivery.js';

interface Chunk {
  payload: EachBatchPayload;
  /** index of the first message that is not handled */
  next: number;
  done: (error?: Error) => void;
}

export interface MergedBatchesOptions {
  maxBatch: number;
  heartbeatMs: number;
  handle(events: readonly ReceivedEvent[]): Promise<void>;
  receive(payload: EachBatchPayload, index: number): ReceivedEvent;
  /** The events are handled. A rejection has the member join again, and they come once more. */
  beforeCommit(): Promise<void>;
  committed(topic: string, partition: number): void;
  /** A sign of life of the loop, however long a handler takes. */
  alive(): void;
  logger: BusLogger;
  group: string;
}

/**
 * The client hands over one partition at a time, all partitions of one fetch at once. Here they become batches for
 * the handler: of several partitions, at most `maxBatch` events, one after another, committed in one request each.
 */
export class MergedBatches {
  private chunks: Chunk[] = [];
  private working = false;
  private stopped = false;
  private readonly redelivery: Redelivery;
  private readonly interrupt = new Signal();
  private lost: Error | undefined;

  constructor(private readonly options: MergedBatchesOptions) {
    this.redelivery = new Redelivery(options.group, options.logger);
  }

  /**
   * The client's `eachBatch`: resolves when all messages are handled and committed, rejects to have it join again.
   */
  accept(payload: EachBatchPayload): Promise<void> {
    if (this.stopped) return Promise.reject(new Transient('the member leaves its group'));
    return new Promise((resolve, reject) => {
      const done = (error?: Error): void => (error ? reject(error) : resolve());
      this.chunks.push({ payload, next: 0, done });
      // The other partitions of the same fetch arrive within this turn of the loop.
      if (!this.working) setImmediate(() => void this.work());
      this.working = true;
    });
  }

  /** Ends a pause between two deliveries; a batch that is being handled ends, and is committed, first. */
  stop(): void {
    this.stopped = true;
    this.interrupt.raise();
  }

  private async work(): Promise<void> {
    this.lost = undefined;
    const beating = setInterval(() => void this.beat(), this.options.heartbeatMs);
    try {
      while (this.chunks.length > 0) await this.handleSlice();
    } catch (error) {
      this.abandon(error instanceof Error ? error : new Error(String(error)));
    } finally {
      clearInterval(beating);
      this.working = false;
    }
  }

  private async handleSlice(): Promise<void> {
    const slice = cutSlice(
      this.chunks.map((chunk) => ({ from: chunk.next, to: chunk.payload.batch.messages.length })),
      this.options.maxBatch,
    );
    await this.deliver(slice);
    await this.commit(slice);
    this.options.alive();
    for (const { chunk, to } of slice) {
      const one = this.chunks[chunk];
      if (one) one.next = to;
    }
    const isDone = (chunk: Chunk): boolean => chunk.next >= chunk.payload.batch.messages.length;
    this.chunks.filter(isDone).forEach((chunk) => chunk.done());
    this.chunks = this.chunks.filter((chunk) => !isDone(chunk));
    if (this.lost) throw this.lost;
    if (this.stopped && this.chunks.length > 0) throw new Transient('the member leaves its group');
  }

  /** Hands the slice over until it is handled, or this member must not hold it any more. */
  private async deliver(slice: Slice): Promise<void> {
    const events = slice.flatMap(({ chunk, from, to }) => {
      const payload = this.chunks[chunk]?.payload;
      return payload
        ? Array.from({ length: to - from }, (_, at) => this.options.receive(payload, from + at))
        : [];
    });
    for (;;) {
      try {
        await this.options.handle(events);
        this.redelivery.succeeded();
        return;
      } catch (error) {
        await this.redelivery.pauseAfter(
          error,
          this.interrupt,
          () => this.stopped || this.lost !== undefined,
        );
        if (this.lost || this.stopped) throw this.lost ?? error;
      }
    }
  }

  private async commit(slice: Slice): Promise<void> {
    const topics = new Map<string, { partition: number; offset: string }[]>();
    let commitWith: EachBatchPayload | undefined;
    for (const { chunk, to } of slice) {
      const payload = this.chunks[chunk]?.payload;
      const last = payload?.batch.messages[to - 1];
      if (!payload || !last) continue;
      commitWith = payload;
      payload.resolveOffset(last.offset);
      const { topic, partition } = payload.batch;
      const next = { partition, offset: (BigInt(last.offset) + 1n).toString() };
      topics.set(topic, [...(topics.get(topic) ?? []), next]);
    }
    if (!commitWith) return;
    await this.options.beforeCommit();
    await commitWith.commitOffsetsIfNecessary({
      topics: [...topics].map(([topic, partitions]) => ({ topic, partitions })),
    });
    for (const [topic, partitions] of topics) {
      for (const { partition } of partitions) this.options.committed(topic, partition);
    }
  }

  private async beat(): Promise<void> {
    this.options.alive();
    try {
      await this.chunks[0]?.payload.heartbeat();
    } catch (error) {
      // A rebalance begins. The running batch may still be handled and committed; then this member joins again.
      this.lost = error instanceof Error ? error : new Error(String(error));
      this.interrupt.raise();
    }
  }

  private abandon(error: Error): void {
    const chunks = this.chunks;
    this.chunks = [];
    chunks.forEach((chunk) => chunk.done(error));
  }
}

/** Messages `from` … `to - 1` of each of several chunks. */
export type Slice = { chunk: number; from: number; to: number }[];

/**
 * Takes the next messages of the chunks, at most `limit` in all: the same share of each, what one cannot use goes to
 * the others. Within a chunk the order stays; a large one does not keep small ones waiting.
 */
export function cutSlice(chunks: readonly { from: number; to: number }[], limit: number): Slice {
  const taken = chunks.map(() => 0);
  let room = limit;
  for (let open = chunks.map((_, index) => index); room > 0 && open.length > 0;) {
    const share = Math.max(1, Math.floor(room / open.length));
    for (const index of open) {
      const chunk = chunks[index];
      const left = chunk ? chunk.to - chunk.from - (taken[index] ?? 0) : 0;
      const more = Math.min(share, left, room);
      taken[index] = (taken[index] ?? 0) + more;
      room -= more;
    }
    open = open.filter((index) => {
      const chunk = chunks[index];
      return chunk !== undefined && (taken[index] ?? 0) < chunk.to - chunk.from;
    });
  }
  return chunks.flatMap(({ from }, chunk) => {
    const count = taken[chunk] ?? 0;
    return count > 0 ? [{ chunk, from, to: from + count }] : [];
  });
}
