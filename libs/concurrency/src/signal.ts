type Waiter = (raised: boolean) => void;

/**
 * A wake-up signal: loops rest on it, others raise it. Raises are counted, so one that comes between looking for work
 * and resting is never missed.
 *
 * One loop uses `wait`; many waiters of one signal use `mark` and `waitPast`.
 */
export class Signal {
  private raises = 0;
  private seen = 0;
  private closed = false;
  private readonly waiters = new Set<Waiter>();

  /** Raised since the last `wait` or `lower`. */
  get isRaised(): boolean {
    return this.raises > this.seen;
  }

  /** To be read before looking for work; `waitPast(mark)` then ends at once when a raise came after it. */
  get mark(): number {
    return this.raises;
  }

  raise(): void {
    this.raises += 1;
    for (const wake of this.waiters) wake(true);
  }

  /** All signals until now are being handled. */
  lower(): void {
    this.seen = this.raises;
  }

  /** Ends all waits, now and later. */
  close(): void {
    this.closed = true;
    for (const wake of this.waiters) wake(false);
  }

  /**
   * Waits until the signal is raised, and lowers it. Returns at once when it is raised already.
   * @returns true when raised; false after `timeoutMs`, an abort or `close`
   */
  async wait(timeoutMs: number, abort?: AbortSignal): Promise<boolean> {
    const raised = await this.waitPast(this.seen, timeoutMs, abort);
    this.lower();
    return raised;
  }

  /** As `wait`, for one of many waiters: waits for a raise after `mark`, and lowers nothing. */
  waitPast(mark: number, timeoutMs: number, abort?: AbortSignal): Promise<boolean> {
    if (this.raises > mark) return Promise.resolve(true);
    if (this.closed || abort?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end: Waiter = (raised) => {
        clearTimeout(timer);
        this.waiters.delete(end);
        abort?.removeEventListener('abort', giveUp);
        resolve(raised);
      };
      const giveUp = () => end(false);
      const timer = setTimeout(giveUp, timeoutMs);
      this.waiters.add(end);
      abort?.addEventListener('abort', giveUp, { once: true });
    });
  }
}
