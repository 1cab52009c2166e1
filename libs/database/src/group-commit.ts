import { failureKind, Transient } from '@postmesh/contracts';

export interface GroupCommitOptions<I> {
  /** most weight that one transaction takes */
  maxWeight: number;
  /** transactions at once: with two, one commits while the other one's statements run */
  flushers: number;
  /** most items that may wait; one more is refused as overload */
  maxPending: number;
  /** how long a group may grow before it is committed, ms; 0 = until the end of this turn of the event loop */
  gatherMs?: number;
  /** rows that an item writes; 1 when left out */
  weightOf?: (item: I) => number;
}

interface Waiting<I, O> {
  item: I;
  weight: number;
  resolve: (result: O) => void;
  reject: (error: unknown) => void;
}

/**
 * Requests that arrive together commit together (architecture §3.8): each `add` resolves only after
 * the transaction that holds its item has committed. One fsync then serves hundreds of requests.
 *
 * When a group fails for a reason that may lie in an item, its halves are run apart, so that one bad item cannot
 * fail its neighbours. A database that is away is nobody's fault: the whole group is told at once.
 */
export class GroupCommit<I, O> {
  private readonly waiting: Waiting<I, O>[] = [];
  private running = 0;
  private scheduled = false;

  constructor(
    /** runs one transaction; returns the results in the order of the items */
    private readonly commit: (items: readonly I[]) => Promise<readonly O[]>,
    private readonly options: GroupCommitOptions<I>,
  ) {}

  /** @throws Transient when too many items wait; else whatever the commit of this item threw */
  add(item: I): Promise<O> {
    if (this.waiting.length >= this.options.maxPending) {
      return Promise.reject(new Transient('too many requests wait for the database'));
    }
    return new Promise<O>((resolve, reject) => {
      this.waiting.push({ item, weight: this.options.weightOf?.(item) ?? 1, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled || this.running >= this.options.flushers) return;
    this.scheduled = true;
    const begin = () => {
      this.scheduled = false;
      void this.flush();
    };
    // setImmediate lets every request of this turn of the event loop join the group
    if (this.options.gatherMs) setTimeout(begin, this.options.gatherMs);
    else setImmediate(begin);
  }

  private async flush(): Promise<void> {
    const group = this.take();
    if (group.length === 0) return;
    this.running += 1;
    if (this.waiting.length > 0) this.schedule();
    await this.run(group);
    this.running -= 1;
    if (this.waiting.length > 0) this.schedule();
  }

  private take(): Waiting<I, O>[] {
    let weight = 0;
    let count = 0;
    for (const next of this.waiting) {
      if (count > 0 && weight + next.weight > this.options.maxWeight) break;
      weight += next.weight;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  private async run(group: Waiting<I, O>[]): Promise<void> {
    try {
      const results = await this.commit(group.map((one) => one.item));
      group.forEach((one, index) => one.resolve(results[index] as O));
    } catch (error) {
      if (group.length === 1 || failureKind(error) === 'transient') {
        group.forEach((one) => one.reject(error));
        return;
      }
      const middle = Math.ceil(group.length / 2);
      await this.run(group.slice(0, middle));
      await this.run(group.slice(middle));
    }
  }
}
