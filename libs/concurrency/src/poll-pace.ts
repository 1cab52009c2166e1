/**
 * The intervals of a poll that is the fallback of a signal: the first one while there is work, and twice as long after
 * each poll that found none, up to a bound.
 */
export class PollPace {
  private nextMs: number;

  /** @param mostMs the longest interval, and so the longest delay of what no signal announced */
  constructor(
    private readonly firstMs: number,
    private readonly mostMs: number,
  ) {
    this.nextMs = firstMs;
  }

  /** There is work: the next interval is the first one. */
  quicken(): void {
    this.nextMs = this.firstMs;
  }

  /** @returns the time until the next poll, ms; the interval behind that one is longer */
  next(): number {
    const { nextMs } = this;
    this.nextMs = Math.min(this.mostMs, nextMs * 2);
    return nextMs;
  }
}
