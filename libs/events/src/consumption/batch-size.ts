// The size that fits is found again within some dozens of batches, without a timeout for each step.
const STEP = 10;

/** How many events one transaction takes: half as many after each that took too long, a few more after each that did not. */
export class BatchSize {
  private most = Number.MAX_SAFE_INTEGER;

  /** Cuts what is next off a batch. */
  next<E>(entries: readonly E[]): { slice: readonly E[]; rest: readonly E[] } {
    return { slice: entries.slice(0, this.most), rest: entries.slice(this.most) };
  }

  tookTooLong(events: number): void {
    this.most = Math.max(1, Math.min(this.most, Math.ceil(events / 2)));
  }

  succeeded(): void {
    this.most = Math.min(Number.MAX_SAFE_INTEGER, this.most + STEP);
  }
}
