/** An input that a decision misses; the caller fetches it, and decides again. */
export class MissingInput extends Error {
  constructor(readonly fetch: () => Promise<void>) {
    super('an input of a decision is not fetched yet');
  }
}

/**
 * Inputs of a decision under a lock that must not be awaited there: a compiled design, facts of another service. A
 * fetched input is available when the decision runs again.
 */
export class Prefetch {
  private readonly results = new Map<string, unknown>();

  /** @throws MissingInput when it has not been fetched yet */
  take<R>(key: string, fetch: () => Promise<R>): R {
    if (this.results.has(key)) return this.results.get(key) as R;
    throw new MissingInput(async () => {
      this.results.set(key, await fetch());
    });
  }
}
