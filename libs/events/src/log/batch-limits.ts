import type { Stream } from '@postmesh/contracts';
import type { ReceivedEvent } from '../event-bus.port.js';

/**
 * Most of one batch, unless a single event has more. A batch is one transaction, and the next events of every stream
 * wait for it: 500 events of 500 changes each would hold a group up for seconds.
 */
export const MAX_BATCH_CHARACTERS = 2_000_000;

type Read = Pick<ReceivedEvent, 'stream' | 'passed'>;

/**
 * Bounds batches by their size in memory. The size of a stream's events is known only after they are read: when some
 * had to be left for the next batch, the limit of that stream falls, and it doubles after each batch that was taken
 * whole.
 */
export class BatchLimits {
  private readonly limits = new Map<Stream, number>();

  /** @param most events of one stream */
  constructor(private readonly most: number) {}

  /** The number of events to read of a stream. */
  of(stream: Stream): number {
    return this.limits.get(stream) ?? this.most;
  }

  /** Whether any stream was read up to its limit. */
  areReachedBy(read: readonly Read[]): boolean {
    return [...countsOf(read)].some(([stream, count]) => count >= this.of(stream));
  }

  /** @returns the beginning of what was read, at least one event */
  cut<E extends Read & { text: string }>(read: readonly E[]): E[] {
    let characters = 0;
    const end = read.findIndex(
      ({ text }, at) => (characters += text.length) > MAX_BATCH_CHARACTERS && at > 0,
    );
    const kept = end === -1 ? [...read] : read.slice(0, end);
    this.learn(kept, end === -1 ? undefined : read[end]?.stream);
    return kept;
  }

  private learn(kept: readonly Read[], cut: Stream | undefined): void {
    for (const [stream, count] of countsOf(kept)) {
      this.limits.set(stream, stream === cut ? count : Math.min(this.most, this.of(stream) * 2));
    }
  }
}

function countsOf(events: readonly Read[]): Map<Stream, number> {
  const counts = new Map<Stream, number>();
  for (const { stream, passed = 0 } of events) counts.set(stream, (counts.get(stream) ?? 0) + passed + 1);
  return counts;
}
