/** Lets many wait for the next of something, without missing one that comes between look and wait. */
export class WakeUp {
  private raised = 0;
  private closed = false;
  private readonly waiting = new Set<() => void>();

  /** To be read before looking; `waitPast` then returns at once when something came after. */
  get mark(): number {
    return this.raised;
  }

  raise(): void {
    this.raised += 1;
    for (const wake of this.waiting) wake();
  }

  /** Nobody waits any more, now and later. */
  close(): void {
    this.closed = true;
    this.raise();
  }

  waitPast(mark: number, mostMs: number): Promise<void> {
    if (this.closed || this.raised > mark) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, mostMs);
      this.waiting.add(done);
    });
  }
}
