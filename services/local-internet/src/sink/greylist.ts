/** Oldest pairs are forgotten beyond this; their next letter is greylisted once more. */
const MOST_PAIRS = 100_000;

/** Remembers which pairs of sender domain and recipient have tried before. */
export class Greylist {
  private readonly seen = new Set<string>();

  /** @returns true when this pair has tried before, so its letter may pass */
  admits(sender: string, recipient: string): boolean {
    // The domain only: a sender with an envelope address per letter is still one sender.
    const pair = `${sender.slice(sender.lastIndexOf('@') + 1)} ${recipient}`.toLowerCase();
    if (this.seen.has(pair)) return true;
    this.seen.add(pair);
    const [oldest] = this.seen;
    if (this.seen.size > MOST_PAIRS && oldest !== undefined) this.seen.delete(oldest);
    return false;
  }
}
