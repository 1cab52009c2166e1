import { Transient } from '@postmesh/contracts';

interface Lookup<Q, V> {
  readonly query: Q;
  readonly response: Promise<V>;
  readonly resolve: (found: V) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchedLookupsOptions<Q, V> {
  /** @returns the results in the order of the queries */
  readonly ask: (queries: readonly Q[]) => Promise<readonly V[]>;
  readonly maxPerBatch: number;
  /** the name of the items in the error when too many wait */
  readonly what: string;
}

// Two at once: one is on the network while the other service works on the other.
const MAX_REQUESTS = 2;
const MAX_WAITING = 10_000;

/**
 * Batches look-ups in another service: a flood of unknown names costs no more than a few requests at a time. A
 * look-up that was not sent yet serves all callers with the same query; one that was sent serves only callers
 * that accept a slightly older state.
 */
export class BatchedLookups<Q, V> {
  private waiting = new Map<string, Lookup<Q, V>>();
  private inFlight = new Map<string, Lookup<Q, V>>();
  private requests = 0;
  private scheduled = false;

  constructor(private readonly options: BatchedLookupsOptions<Q, V>) {}

  /**
   * @param id names the query; the same for the same query
   * @param joinInFlight whether the result of a look-up that was sent before is recent enough
   * @throws Transient when the service does not respond, or too many wait
   */
  ask(id: string, query: Q, joinInFlight: boolean): Promise<V> {
    const same = this.waiting.get(id) ?? (joinInFlight ? this.inFlight.get(id) : undefined);
    if (same) return same.response;
    if (this.waiting.size >= MAX_WAITING) {
      return Promise.reject(new Transient(`too many ${this.options.what} wait to be looked up`));
    }
    const lookup = newLookup<Q, V>(query);
    this.waiting.set(id, lookup);
    this.schedule();
    return lookup.response;
  }

  /** Later calls do not join look-ups that were sent before. */
  forgetInFlight(): void {
    this.inFlight = new Map();
  }

  private schedule(): void {
    if (this.scheduled || this.requests >= MAX_REQUESTS || this.waiting.size === 0) return;
    this.scheduled = true;
    // every request of this turn of the event loop joins the batch
    setImmediate(() => {
      this.scheduled = false;
      void this.send();
    });
  }

  private async send(): Promise<void> {
    const batch = [...this.waiting].slice(0, this.options.maxPerBatch);
    for (const [id, lookup] of batch) {
      this.waiting.delete(id);
      this.inFlight.set(id, lookup);
    }
    this.requests += 1;
    this.schedule();
    try {
      const found = await this.options.ask(batch.map(([, { query }]) => query));
      for (const [at, [, lookup]] of batch.entries()) lookup.resolve(found[at] as V);
    } catch (error) {
      for (const [, lookup] of batch) lookup.reject(error);
    } finally {
      this.requests -= 1;
      for (const [id, lookup] of batch) if (this.inFlight.get(id) === lookup) this.inFlight.delete(id);
      this.schedule();
    }
  }
}

function newLookup<Q, V>(query: Q): Lookup<Q, V> {
  let resolve: Lookup<Q, V>['resolve'] = () => undefined;
  let reject: Lookup<Q, V>['reject'] = () => undefined;
  const response = new Promise<V>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { query, response, resolve, reject };
}
