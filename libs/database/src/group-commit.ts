import { Gathering } from '@postmesh/concurrency';
import { failureKind, Transient } from '@postmesh/contracts';
import { ServerSilent, type DatabaseServer } from './silent-servers.js';

export interface GroupCommitOptions<I> {
  /** most weight that one transaction takes */
  maxWeight: number;
  /** transactions at once: with two, one commits while the other one's statements run */
  flushers: number;
  /** most items that may wait; one more is refused as overload */
  maxPending: number;
  /** how long an item may wait for others while many come, ms; left out: until the end of this turn of the event loop */
  gatherMs?: number;
  /** rows that an item writes; 1 when left out */
  weightOf?: (item: I) => number;
  /** While it does not answer, whatever waits is given up: its callers are, and it must not be committed later. */
  server?: Pick<DatabaseServer, 'whenQuiet'> | undefined;
}

interface Waiting<I, O> {
  item: I;
  weight: number;
  since: number;
  resolve: (result: O) => void;
  reject: (error: unknown) => void;
}

// The share of the estimate that one group carries over to the next.
const CROWD_FADES = 0.9;

/**
 * Requests that arrive together commit together (architecture §3.8): each `add` resolves only after the transaction
 * that holds its item has committed. One fsync then serves hundreds of requests.
 *
 * Under light load an item is committed at once. Under load (`Gathering`) it waits for others, `gatherMs` at most,
 * and not at all when every recent caller is already waiting: a client that sends its next request after the last
 * answer never waits for its own next item.
 *
 * When a group fails for a reason that an item may cause, its halves run apart, so that one bad item cannot fail the
 * others. An unavailable database is no item's fault: the whole group fails at once.
 */
export class GroupCommit<I, O> {
  private readonly waiting: Waiting<I, O>[] = [];
  private readonly gathering: Gathering | undefined;
  private running = 0;
  private scheduled = false;
  private timer: NodeJS.Timeout | undefined;
  /** items that wait or are being committed */
  private open = 0;
  /** the most of them that there were lately */
  private crowd = 1;

  constructor(
    /** runs one transaction; returns the results in the order of the items */
    private readonly commit: (items: readonly I[]) => Promise<readonly O[]>,
    private readonly options: GroupCommitOptions<I>,
  ) {
    const { gatherMs } = options;
    this.gathering = gatherMs === undefined ? undefined : new Gathering({ maxMs: gatherMs });
    options.server?.whenQuiet(() => this.giveUpWaiting());
  }

  /** @throws Transient when too many items wait; else whatever the commit of this item threw */
  add(item: I): Promise<O> {
    if (this.waiting.length >= this.options.maxPending) {
      return Promise.reject(new Transient('too many requests wait for the database'));
    }
    return new Promise<O>((resolve, reject) => {
      const weight = this.options.weightOf?.(item) ?? 1;
      this.waiting.push({ item, weight, since: performance.now(), resolve, reject });
      this.gathering?.arrived();
      this.open += 1;
      this.crowd = Math.max(this.crowd, this.open);
      this.schedule();
    });
  }

  private giveUpWaiting(): void {
    const group = this.waiting.splice(0);
    this.open -= group.length;
    for (const one of group) one.reject(new ServerSilent());
  }

  private schedule(): void {
    if (this.scheduled || this.running >= this.options.flushers) return;
    const waitMs = this.waitMs();
    if (waitMs > 0) {
      this.timer ??= setTimeout(() => this.begin(), waitMs);
      return;
    }
    clearTimeout(this.timer);
    this.scheduled = true;
    // every request of this turn of the event loop joins the group
    setImmediate(() => this.begin());
  }

  private begin(): void {
    this.scheduled = false;
    this.timer = undefined;
    void this.flush();
  }

  /** The time that the oldest item may still wait. */
  private waitMs(): number {
    const [oldest] = this.waiting;
    if (!this.gathering || !oldest || this.waiting.length >= this.crowd) return 0;
    return oldest.since + this.gathering.waitMs() - performance.now();
  }

  private async flush(): Promise<void> {
    const group = this.take();
    if (group.length === 0) return;
    this.running += 1;
    this.crowd = Math.max(this.open, this.crowd * CROWD_FADES);
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
      this.open -= group.length;
      group.forEach((one, index) => one.resolve(results[index] as O));
    } catch (error) {
      if (group.length === 1 || failureKind(error) === 'transient') {
        this.open -= group.length;
        group.forEach((one) => one.reject(error));
        return;
      }
      const middle = Math.ceil(group.length / 2);
      await this.run(group.slice(0, middle));
      await this.run(group.slice(middle));
    }
  }
}
