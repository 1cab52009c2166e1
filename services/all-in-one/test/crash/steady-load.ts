import { expect } from 'vitest';

const EVERY_MS = 150;
const MOST_AT_ONCE = 50;
const ACCEPTED_IN_MS = 60_000;

/** Sends go out in a steady rhythm, whatever became of those before, until `end`. */
export class SteadyLoad {
  readonly accepted: string[] = [];
  readonly refused: string[] = [];
  private count = 0;
  private readonly underWay = new Set<Promise<void>>();
  private readonly rhythm = setInterval(() => this.next(), EVERY_MS);

  /** @param send resolves with what was accepted; gets a number of its own */
  constructor(private readonly send: (number: number) => Promise<string[]>) {}

  /** Resolves when so many more are accepted. */
  async accepts(more: number): Promise<void> {
    const wanted = this.accepted.length + more;
    await expect
      .poll(() => this.accepted.length, { timeout: ACCEPTED_IN_MS, interval: 20 })
      .toBeGreaterThanOrEqual(wanted);
  }

  /** Sends no more. Resolves when all that went out are answered. */
  async end(): Promise<void> {
    clearInterval(this.rhythm);
    await Promise.all(this.underWay);
  }

  private next(): void {
    if (this.underWay.size >= MOST_AT_ONCE) return;
    const sent = this.send((this.count += 1))
      .then(
        (accepted) => void this.accepted.push(...accepted),
        (error: unknown) => void this.refused.push(String(error)),
      )
      .finally(() => this.underWay.delete(sent));
    this.underWay.add(sent);
  }
}
