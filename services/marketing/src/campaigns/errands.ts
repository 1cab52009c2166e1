/** What a decision lacks; whoever runs it gets it, and decides anew. */
export class Lacking extends Error {
  constructor(readonly fetch: () => Promise<void>) {
    super('a decision lacks something that takes time');
  }
}

/**
 * What a decision under a lock needs and must not wait for there: a design that is compiled, facts of another service.
 * What was fetched once is there when the decision is made anew.
 */
export class Errands {
  private readonly results = new Map<string, unknown>();

  /** @throws Lacking when it was not fetched yet */
  take<R>(key: string, fetch: () => Promise<R>): R {
    if (this.results.has(key)) return this.results.get(key) as R;
    throw new Lacking(async () => {
      this.results.set(key, await fetch());
    });
  }
}
