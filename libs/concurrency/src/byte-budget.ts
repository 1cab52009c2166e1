export interface ByteBudgetOptions {
  /** bytes at once; what is larger than all of them runs alone */
  readonly maxBytes: number;
  /** what is smaller is not counted and never waits */
  readonly freeBelow: number;
  /** bytes of one key at once, so that no key keeps all others out; `maxBytes` when left out */
  readonly maxPerKey?: number;
  /** how many of one key may wait; one more is refused */
  readonly maxWaiting?: number;
  /** how long one may wait */
  readonly maxWaitMs?: number;
}

/** There is no room now, and the line is full or the wait was too long. */
export class BudgetExhausted extends Error {
  /** @param ofKey the key has its share; others may still find room */
  constructor(
    message: string,
    readonly ofKey = false,
  ) {
    super(message);
  }
}

/** Room of what cannot wait: it grows with what arrives. */
export interface Held {
  /** @throws BudgetExhausted when this many more bytes have no room; the reservation so far stays */
  grow(bytes: number): void;
  /** Gives all of it back; more than once does nothing. */
  release(): void;
}

/** Gives the room back; more than once does nothing. */
export interface Release {
  (): void;
  /** Less than the reservation is needed: the rest is free for others now. */
  keepOnly(size: number): void;
}

interface Waiter {
  readonly size: number;
  readonly begin: () => void;
}

/**
 * Bounds the memory of large items in flight: small ones pass, large ones wait for each other. Keys (accounts) take
 * turns; within a key the order is first in, first out. The next in line waits until there is room, and no smaller
 * one overtakes it, unless its own key has its share already.
 */
export class ByteBudget<K = string> {
  private used = 0;
  private readonly usedBy = new Map<K, number>();
  /** in the order of turns */
  private readonly lines = new Map<K, Set<Waiter>>();
  private inLine = 0;

  constructor(private readonly options: ByteBudgetOptions) {}

  /** Bytes in use, of all keys. */
  get bytes(): number {
    return this.used;
  }

  /** How many wait, of all keys. */
  get waiting(): number {
    return this.inLine;
  }

  /** Whether a caller of another key waits. */
  othersWait(key: K): boolean {
    return this.lines.size > (this.lines.has(key) ? 1 : 0);
  }

  /** @returns what the step returns @throws as `enter` does */
  async within<T>(key: K, size: number, step: () => Promise<T>): Promise<T> {
    const release = await this.enter(key, size);
    try {
      return await step();
    } finally {
      release();
    }
  }

  /**
   * Waits for room.
   * @throws BudgetExhausted when the line is full or the wait too long, the reason of the abort
   */
  async enter(key: K, size: number, abort?: AbortSignal): Promise<Release> {
    if (size < this.options.freeBelow) return free;
    abort?.throwIfAborted();
    if (this.inLine > 0 || !this.fits(key, size)) await this.standInLine(key, size, abort);
    else this.take(key, size);
    let held = size;
    const keepOnly = (kept: number) => {
      if (kept >= held) return;
      const rest = held - kept;
      held = kept;
      this.giveBack(key, rest);
    };
    return Object.assign(() => keepOnly(0), { keepOnly });
  }

  /** Room that is taken at once or not at all, whatever its size and regardless of waiting callers. */
  hold(key: K): Held {
    let held = 0;
    return {
      grow: (bytes) => {
        if ((this.usedBy.get(key) ?? 0) + bytes > (this.options.maxPerKey ?? Infinity)) {
          throw new BudgetExhausted('its share of the memory is in use', true);
        }
        if (this.used + bytes > this.options.maxBytes) throw new BudgetExhausted('the memory is in use');
        this.take(key, bytes);
        held += bytes;
      },
      release: () => {
        if (held > 0) this.giveBack(key, held);
        held = 0;
      },
    };
  }

  private standInLine(key: K, size: number, abort: AbortSignal | undefined): Promise<void> {
    const { maxWaiting = Infinity, maxWaitMs } = this.options;
    const line = this.lines.get(key) ?? new Set();
    if (line.size >= maxWaiting) return Promise.reject(new BudgetExhausted('too many wait for memory'));
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        abort?.removeEventListener('abort', giveUp);
        this.leaveLine(key, waiter);
      };
      const fail = (reason: unknown) => {
        leave();
        reject(reason as Error);
        this.admit();
      };
      const giveUp = () => fail(abort?.reason);
      const tooLate = () => fail(new BudgetExhausted('waited too long for memory'));
      const timer = maxWaitMs === undefined ? undefined : setTimeout(tooLate, maxWaitMs);
      const waiter: Waiter = {
        size,
        begin: () => {
          leave();
          resolve();
        },
      };
      abort?.addEventListener('abort', giveUp, { once: true });
      this.lines.set(key, line.add(waiter));
      this.inLine += 1;
      this.admit();
    });
  }

  private leaveLine(key: K, waiter: Waiter): void {
    const line = this.lines.get(key);
    if (!line?.delete(waiter)) return;
    this.inLine -= 1;
    if (line.size === 0) this.lines.delete(key);
  }

  /** Lets in who is next, for as long as there is room. */
  private admit(): void {
    for (let next = this.next(); next; next = this.next()) {
      const [key, waiter] = next;
      if (!this.fitsAll(waiter.size)) return;
      this.take(key, waiter.size);
      waiter.begin();
      this.endTurn(key);
    }
  }

  /** The first of the key whose turn it is; keys that have their share are passed over. */
  private next(): [K, Waiter] | undefined {
    for (const [key, line] of this.lines) {
      const [first] = line;
      if (first && this.fitsShare(key, first.size)) return [key, first];
    }
    return undefined;
  }

  private endTurn(key: K): void {
    const line = this.lines.get(key);
    if (!line) return;
    this.lines.delete(key);
    this.lines.set(key, line);
  }

  private fits(key: K, size: number): boolean {
    return this.fitsShare(key, size) && this.fitsAll(size);
  }

  private fitsAll(size: number): boolean {
    return this.used === 0 || this.used + size <= this.options.maxBytes;
  }

  private fitsShare(key: K, size: number): boolean {
    const used = this.usedBy.get(key) ?? 0;
    return used === 0 || used + size <= (this.options.maxPerKey ?? this.options.maxBytes);
  }

  private take(key: K, size: number): void {
    this.used += size;
    this.usedBy.set(key, (this.usedBy.get(key) ?? 0) + size);
  }

  private giveBack(key: K, size: number): void {
    this.used -= size;
    const left = (this.usedBy.get(key) ?? 0) - size;
    if (left > 0) this.usedBy.set(key, left);
    else this.usedBy.delete(key);
    this.admit();
  }
}

const free: Release = Object.assign(() => {}, { keepOnly: () => {} });
