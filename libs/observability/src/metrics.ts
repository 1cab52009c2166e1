import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics, AggregatorRegistry } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of one process (or thread); names are made once, in one place per service. */
export class Metrics {
  readonly registry = new Registry();

  constructor(options: { defaults?: boolean } = {}) {
    if (options.defaults ?? true) collectDefaultMetrics({ register: this.registry });
  }

  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return (
      this.existing<Counter<L>>(name) ?? new Counter({ name, help, labelNames, registers: [this.registry] })
    );
  }

  /** @param collect called when the metrics are read: `set` the value then instead of keeping it up to date */
  gauge<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    const existing = this.existing<Gauge<L>>(name);
    if (existing) return existing;
    return new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      ...(collect
        ? {
            collect(this: Gauge<L>) {
              return collect(this);
            },
          }
        : {}),
    });
  }

  /** Durations in seconds. */
  histogram<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Histogram<L> {
    return (
      this.existing<Histogram<L>>(name) ??
      new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [this.registry] })
    );
  }

  /** Prometheus text form. */
  render(): Promise<string> {
    return this.registry.metrics();
  }

  private existing<M>(name: string): M | undefined {
    return this.registry.getSingleMetric(name) as M | undefined;
  }
}

/** What a thread sends to the process that renders for all of them. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export const snapshotMetrics = (metrics: Metrics): Promise<MetricsSnapshot> =>
  metrics.registry.getMetricsAsJSON();

/** Sums the metrics of several threads into one page. */
export function renderTogether(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics();
}
