const AGAIN_MS = 10_000;
// Requests take at most a tenth of the time: a count of a million rows takes a second.
const REST = 10;
// A reader of metrics waits for the other gauges, too.
const WAIT_MS = 1_000;

/**
 * An expensive answer for readers who come every few seconds. A read triggers a request, one at a time; the previous
 * answer is returned until the next one arrives. After a failed request there is no answer.
 */
export class AskedRarely<A> {
  private answer: A | undefined;
  private asking: Promise<void> | undefined;
  private restUntil = 0;

  constructor(
    private readonly ask: () => Promise<A>,
    private readonly againMs = AGAIN_MS,
  ) {}

  /** @returns undefined while the answer is unknown */
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
