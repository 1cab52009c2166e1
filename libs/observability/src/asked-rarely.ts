const AGAIN_MS = 10_000;
// Whatever asking takes, it is a tenth of the time at most: of a million rows a count takes a second.
const REST = 10;
// Whoever reads metrics waits for the other ones, too.
const WAIT_MS = 1_000;

/**
 * An answer that costs something, for readers who come every few seconds. It is asked for when somebody reads, by one
 * question at a time; until the next one is there, the last one holds. After a question that failed there is none.
 */
export class AskedRarely<A> {
  private answer: A | undefined;
  private asking: Promise<void> | undefined;
  private restUntil = 0;

  constructor(
    private readonly ask: () => Promise<A>,
    private readonly againMs = AGAIN_MS,
  ) {}

  /** @returns undefined while nobody knows */
  async latest(): Promise<A | undefined> {
    if (performance.now() >= this.restUntil) this.asking ??= this.askNow();
    if (this.asking) await withinWait(this.asking);
    return this.answer;
  }

  private async askNow(): Promise<void> {
    const begun = performance.now();
    this.answer = await this.ask().catch(() => undefined);
    const ended = performance.now();
    this.restUntil = ended + Math.max(this.againMs, (ended - begun) * REST);
    this.asking = undefined;
  }
}

function withinWait(asking: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, WAIT_MS);
    void asking.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
