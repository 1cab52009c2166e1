import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics, AggregatorRegistry } from 'prom-client';
import { AskedRarely } from './asked-rarely.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
// From an unnoticeable delay to the end of a delivery window.
export const LONG_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];

// Its own measurement of the event loop wakes a process a hundred times a second: `observeEventLoop` has another one.
const NEVER_MS = 2 ** 31 - 1;
const NOT_MEASURED = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (figure) => `nodejs_eventloop_lag_${figure}_seconds`,
);

function collectDefaults(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of NOT_MEASURED) registry.removeSingleMetric(name);
}

type Collect<L extends string> = (gauge: Gauge<L>) => void | Promise<void>;

/** One value, or one per set of labels. */
type AskedValues<L extends string> =
  number | undefined | readonly (readonly [labels: Record<L, string>, value: number])[];

/** A gauge whose value is part of a requested answer, e.g. a column of a row. */
export interface AskedGauge<A, L extends string = string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly L[];
  /** undefined: there is no value now, and the gauge is left out */
  read(answer: A): AskedValues<L>;
}

/** The metrics of one process (or thread); each name is created once, in one place per service. */
export class Metrics {
  readonly registry = new Registry();
  /** by the gauge's name: services of one process share a registry, and each has its own labels */
  private readonly collects = new Map<string, Collect<string>[]>();

  /** @param options.defaults the default metrics of Node; once per process. Default true */
  constructor(options: { defaults?: boolean } = {}) {
    if (options.defaults ?? true) collectDefaults(this.registry);
  }

  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return (
      this.existing<Counter<L>>(name) ?? new Counter({ name, help, labelNames, registers: [this.registry] })
    );
  }

  /** @param collect called when the metrics are read: `set` the current value in it */
  gauge<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    collect?: Collect<L>,
  ): Gauge<L> {
    const collects = this.collects.get(name) ?? [];
    if (collect) this.collects.set(name, [...collects, collect as unknown as Collect<string>]);
    const existing = this.existing<Gauge<L>>(name);
    if (existing) return existing;
    const { collects: all } = this;
    return new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect(this: Gauge<L>) {
        const collecting = (all.get(name) ?? []).map((each) => each(this as unknown as Gauge<string>));
        await Promise.all(collecting);
      },
    });
  }

  /**
   * Gauges whose values are requested, mostly from the database: only when metrics are read, rarely, and without a long
   * delay of the other metrics (`AskedRarely`). A failed request leaves no value, which is not 0.
   * @param labels common to all of them, e.g. the service: no other group of gauges of that name may have the same
   */
  asked<A>(
    ask: () => Promise<A>,
    gauges: readonly AskedGauge<A>[],
    labels: Readonly<Record<string, string>> = {},
  ): void {
    const answer = new AskedRarely(ask);
    for (const { name, help, labelNames = [], read } of gauges) {
      // a gauge without labels begins with 0, which is no requested value
      let shown: Record<string, string>[] = [{ ...labels }];
      this.gauge(name, help, [...Object.keys(labels), ...labelNames], async (gauge) => {
        const known = await answer.latest();
        const values = known === undefined ? undefined : read(known);
        for (const each of shown) gauge.remove(each);
        const list = typeof values === 'number' ? [[{}, values] as const] : (values ?? []);
        shown = list.map(([own]) => ({ ...labels, ...own }));
        list.forEach(([, value], nth) => gauge.set(shown[nth] ?? {}, value));
      });
    }
  }

  /** Durations in seconds. @param buckets upper bounds; the default is a millisecond to half a minute */
  histogram<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    buckets: number[] = SECONDS,
  ): Histogram<L> {
    return (
      this.existing<Histogram<L>>(name) ??
      new Histogram({ name, help, labelNames, buckets, registers: [this.registry] })
    );
  }

  /** The Prometheus text format. */
  render(): Promise<string> {
    return this.registry.metrics();
  }

  private existing<M>(name: string): M | undefined {
    return this.registry.getSingleMetric(name) as M | undefined;
  }
}

/** The metrics that a thread sends to the main thread, which renders all of them. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export const snapshotMetrics = (metrics: Metrics): Promise<MetricsSnapshot> =>
  metrics.registry.getMetricsAsJSON();

/** Sums the metrics of several threads into one page. */
export function renderTogether(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics();
}
