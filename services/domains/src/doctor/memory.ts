import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@postmesh/concurrency';

/** A result of look-ups, with their time. */
export interface Seen<T> {
  readonly at: Date;
  readonly what: T;
}

const MAX_KEPT = 2_000;

/** Results of look-ups; one look at a time for each key. */
export class Memory<T> {
  private readonly kept = new LRUCache<string, Seen<T>>({ max: MAX_KEPT });
  private readonly looks = new SingleFlight<string, Seen<T>>();

  /** @param keptMs how long a result is used */
  constructor(private readonly keptMs: (what: T) => number) {}

  async get(key: string, look: () => Promise<T>): Promise<Seen<T>> {
    const kept = this.kept.get(key);
    if (kept && kept.at.getTime() + this.keptMs(kept.what) > Date.now()) return kept;
    return this.looks.run(key, async () => {
      const seen = { at: new Date(), what: await look() };
      this.kept.set(key, seen);
      return seen;
    });
  }
}
