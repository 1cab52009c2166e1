const SLICE_MS = 5_000;
const SLICES = 6;

/** Messages a second over the last half minute: the slice that is open, as far as it is over, and the five before. */
export class RateMeter {
  private readonly counts = Array.from({ length: SLICES }, () => 0);
  private slice = 0;

  add(now: number): void {
    this.turn(now);
    this.counts[this.slice % SLICES] = (this.counts[this.slice % SLICES] ?? 0) + 1;
  }

  perSecond(now: number): number {
    this.turn(now);
    const ms = (SLICES - 1) * SLICE_MS + (now % SLICE_MS);
    return this.counts.reduce((sum, count) => sum + count, 0) / (ms / 1_000);
  }

  private turn(now: number): void {
    const slice = Math.floor(now / SLICE_MS);
    const passed = Math.min(Math.max(0, slice - this.slice), SLICES);
    for (let nth = 1; nth <= passed; nth++) this.counts[(this.slice + nth) % SLICES] = 0;
    // all slices are empty when more time passed than all of them cover
    if (slice > this.slice) this.slice = slice;
  }
}
