export interface GatheringOptions {
  /** longest that anything waits for others, ms */
  readonly maxMs: number;
  /** how many more are to be expected within that time for the wait to be worth it. Default 3 */
  readonly worthwhile?: number;
}

const WORTHWHILE = 3;
// The arrivals of about this time predict the next ones: long enough to see a few hundred a second, short enough to
// distinguish the first item of a quiet time from the last of a busy one.
const MEMORY_MS = 200;

/**
 * Whether it pays to wait for others before work is begun that costs the same for one as for many, such as a commit.
 * When little comes nothing waits; at a few hundred a second groups grow by themselves. It keeps a rate, which fades.
 */
export class Gathering {
  /** per millisecond */
  private rate = 0;
  private at = performance.now();

  constructor(private readonly options: GatheringOptions) {}

  arrived(count = 1): void {
    this.rate = this.rateNow() + count / MEMORY_MS;
    this.at = performance.now();
  }

  /** @returns how long what came at this moment is to wait, ms; 0 when too little comes */
  waitMs(): number {
    const { maxMs, worthwhile = WORTHWHILE } = this.options;
    return this.rateNow() * maxMs >= worthwhile ? maxMs : 0;
  }

  private rateNow(): number {
    return this.rate * Math.exp((this.at - performance.now()) / MEMORY_MS);
  }
}
