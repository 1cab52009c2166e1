/** One call per key at a time; callers meanwhile share its result or its failure. Nothing is kept after it. */
export class SingleFlight<K, V> {
  private readonly flights = new Map<K, Promise<V>>();

  /** Calls in flight. */
  get size(): number {
    return this.flights.size;
  }

  run(key: K, call: () => Promise<V>): Promise<V> {
    const shared = this.flights.get(key);
    if (shared) return shared;
    const flight = call().finally(() => {
      if (this.flights.get(key) === flight) this.flights.delete(key);
    });
    this.flights.set(key, flight);
    return flight;
  }

  /** No caller joins the call in flight any more: its result may be older than a change that just happened. */
  forget(key: K): void {
    this.flights.delete(key);
  }

  forgetAll(): void {
    this.flights.clear();
  }
}
