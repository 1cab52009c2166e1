/** Work of some account, done turn by turn. */
export interface FairItem {
  /** by which time is shared: the top-level account, with its sub-accounts */
  readonly family: string;
  /** within a family keys take turns: an account, a campaign */
  readonly key: string;
}

export interface FairWorkersOptions<W, T> {
  /** such as threads; one is kept free of a family that has one of several already */
  readonly workers: readonly W[];
  /** One turn, which never rejects. @returns whether the item needs another one */
  readonly turn: (worker: W, item: T) => Promise<boolean>;
  /** false: it cannot begin a turn yet, and `wake` is called when it can; default: always true */
  readonly isReady?: (worker: W) => boolean;
  /** ms; for tests */
  readonly now?: () => number;
}

// Families that had time before others and do nothing now; to forget them costs the others a part of a turn.
const MAX_IDLE_FAMILIES = 1_000;

interface Family<T> {
  /** ms of workers that it had, counted from the level that the others had when it began */
  spent: number;
  running: number;
  /** by key; the one whose turn it is comes first */
  readonly queues: Map<string, T[]>;
}

interface Seat<W> {
  readonly worker: W;
  busy: boolean;
  /** which it served last: what it has in its caches is of use there */
  family?: string;
}

/**
 * Workers that families share by time (start-time fair queueing): the next turn is that of the family that has had the
 * least. One that had nothing to do gets no credit for it. A family has all workers but one at most, so that a single
 * one, with however many accounts and requests, leaves a worker to the others at once.
 */
export class FairWorkers<W, T extends FairItem> {
  private readonly families = new Map<string, Family<T>>();
  private readonly seats: readonly Seat<W>[];
  private readonly maxRunning: number;
  /** what the family had whose turn began last */
  private level = 0;
  private count = 0;

  constructor(private readonly options: FairWorkersOptions<W, T>) {
    this.seats = options.workers.map((worker) => ({ worker, busy: false }));
    this.maxRunning = Math.max(1, this.seats.length - 1);
  }

  /** Items that wait. */
  get size(): number {
    return this.count;
  }

  /** Items of a family, or of one key of it, that wait. */
  sizeOf({ family, key }: { readonly family: string; readonly key?: string }): number {
    const queues = this.families.get(family)?.queues;
    if (key !== undefined) return queues?.get(key)?.length ?? 0;
    let size = 0;
    for (const queue of queues?.values() ?? []) size += queue.length;
    return size;
  }

  /** At the end of what its key has. */
  add(item: T): void {
    this.queueOf(item).push(item);
    this.count += 1;
    this.dispatch();
  }

  /** Takes back an item that waits. @returns false when it does not: it is in its turn, or done */
  remove(item: T): boolean {
    const family = this.families.get(item.family);
    const queue = family?.queues.get(item.key);
    const at = queue?.indexOf(item) ?? -1;
    if (!family || !queue || at < 0) return false;
    queue.splice(at, 1);
    if (queue.length === 0) family.queues.delete(item.key);
    this.count -= 1;
    return true;
  }

  /** Takes back all that wait. */
  removeAll(): T[] {
    const items = [...this.families.values()].flatMap(({ queues }) => [...queues.values()].flat());
    for (const { queues } of this.families.values()) queues.clear();
    this.count = 0;
    return items;
  }

  /** A worker is ready. */
  wake(): void {
    this.dispatch();
  }

  private dispatch(): void {
    for (let free = this.freeSeats(); free.length > 0; free = this.freeSeats()) {
      const next = this.next();
      if (!next) return;
      const seat = free.find(({ family }) => family === next.item.family) ?? free[0];
      void this.run(seat as Seat<W>, next);
    }
  }

  private freeSeats(): Seat<W>[] {
    const { isReady = () => true } = this.options;
    return this.seats.filter(({ busy, worker }) => !busy && isReady(worker));
  }

  /** The family with the least time among those that may have a turn; of equal ones the one that waits longest. */
  private next(): { family: Family<T>; item: T } | undefined {
    let chosen: [string, Family<T>] | undefined;
    for (const [name, family] of this.families) {
      if (family.queues.size === 0 || family.running >= this.maxRunning) continue;
      if (!chosen || family.spent < chosen[1].spent) chosen = [name, family];
    }
    if (!chosen) return undefined;
    const [name, family] = chosen;
    this.families.delete(name);
    this.families.set(name, family);
    this.level = Math.max(this.level, family.spent);
    return { family, item: this.takeOf(family) };
  }

  /** Its key is then the last of the family. */
  private takeOf({ queues }: Family<T>): T {
    const [[key, queue]] = queues as unknown as [[string, T[]]];
    const item = queue.shift() as T;
    queues.delete(key);
    if (queue.length > 0) queues.set(key, queue);
    this.count -= 1;
    return item;
  }

  private async run(seat: Seat<W>, { family, item }: { family: Family<T>; item: T }): Promise<void> {
    const { turn, now = () => performance.now() } = this.options;
    Object.assign(seat, { busy: true, family: item.family });
    family.running += 1;
    const since = now();
    const goesOn = await turn(seat.worker, item);
    family.spent += now() - since;
    if (goesOn) this.putBack(family, item);
    family.running -= 1;
    seat.busy = false;
    this.dispatch();
  }

  /** Before all else of its key, which is then the last of the family. */
  private putBack({ queues }: Family<T>, item: T): void {
    const queue = [item, ...(queues.get(item.key) ?? [])];
    queues.delete(item.key);
    queues.set(item.key, queue);
    this.count += 1;
  }

  private queueOf({ family: name, key }: T): T[] {
    const family = this.families.get(name) ?? this.join(name);
    if (family.queues.size === 0 && family.running === 0) family.spent = Math.max(family.spent, this.level);
    const queue = family.queues.get(key) ?? [];
    family.queues.set(key, queue);
    return queue;
  }

  private join(name: string): Family<T> {
    if (this.families.size >= MAX_IDLE_FAMILIES) this.forgetIdle();
    const family: Family<T> = { spent: this.level, running: 0, queues: new Map() };
    this.families.set(name, family);
    return family;
  }

  private forgetIdle(): void {
    for (const [name, { running, queues }] of this.families)
      if (running === 0 && queues.size === 0) this.families.delete(name);
  }
}
