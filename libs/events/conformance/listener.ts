import type { EventEnvelope, Stream } from '@postmesh/contracts';
import type { EventBus, ReceivedEvent, RunningSubscription } from '../src/event-bus.port.js';
import { parseEnvelope } from './facts.js';

/** The handled events, of one member or of several together, in the order of handling. */
export class Diary {
  readonly events: EventEnvelope[] = [];
  readonly batches: number[] = [];
  private readonly ids = new Set<string>();
  private readonly waiting = new Set<() => void>();

  write(events: readonly EventEnvelope[]): void {
    this.events.push(...events);
    for (const { id } of events) this.ids.add(id);
    this.batches.push(events.length);
    this.waiting.forEach((check) => check());
  }

  /** Resolves as soon as the condition holds; the test's own limit ends the wait. */
  async until(condition: (diary: this) => boolean): Promise<void> {
    if (condition(this)) return;
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (!condition(this)) return;
        this.waiting.delete(check);
        resolve();
      };
      this.waiting.add(check);
    });
  }

  distinct(): number {
    return this.ids.size;
  }
}

export interface ListenOptions {
  group: string;
  streams?: readonly Stream[];
  maxBatch?: number;
  diary?: Diary;
  /** Runs before a batch is written down; a throw fails the batch. */
  first?: (received: readonly ReceivedEvent[]) => Promise<void> | void;
}

/** Joins a group and writes down what comes. */
export async function listen(
  bus: EventBus,
  options: ListenOptions,
): Promise<{ diary: Diary; subscription: RunningSubscription }> {
  const diary = options.diary ?? new Diary();
  const subscription = await bus.subscribe({
    group: options.group,
    streams: options.streams ?? ['messages'],
    maxBatch: options.maxBatch,
    handle: async (received) => {
      await options.first?.(received);
      diary.write(received.map(({ text }) => parseEnvelope(text)));
    },
  });
  return { diary, subscription };
}
