import { backoffMs, pause } from '@postmesh/concurrency';
import { InProcessBuckets } from '@postmesh/gateway';
import { countsOf, type Logger, type Metrics, type MetricsSnapshot } from '@postmesh/observability';
import type { Forget } from '@postmesh/sending-domains';
import type { Settings } from '@postmesh/settings';
import { AcceptProcess, type AcceptServer } from './accept-process.js';
import { shareOf } from './accept-processes.rules.js';
import type { Ports } from './listeners.js';

const RESTART = { firstMs: 200, maxMs: 30_000, spread: 0.2 };
// One that ran for so long did not end because of how it started.
const STABLE_MS = 60_000;

/** One of them, with those that were there before it. */
interface Place {
  readonly name: string;
  process: AcceptProcess;
  /** of those that have ended */
  counts: MetricsSnapshot;
}

/** The processes that accept (decision 91). One that ends is started again, while the others go on. */
export class AcceptProcesses {
  private readonly places: readonly Place[];
  private readonly stopping = new AbortController();
  private readonly buckets = new InProcessBuckets();
  private othersSend: () => void = () => undefined;
  private readonly server: AcceptServer = {
    takeTokens: (requests) => requests.map(({ name, limit }) => this.buckets.take(name, limit)),
    sent: () => this.othersSend(),
  };
  private keeping: Promise<unknown> = Promise.resolve();

  /** They begin to load their code. */
  constructor(
    count: number,
    private readonly logger: Logger,
  ) {
    this.places = Array.from({ length: count }, (_, nth) => {
      const name = `accept-${nth + 1}`;
      return { name, process: new AcceptProcess(name, this.server), counts: [] };
    });
  }

  /**
   * @returns the ports that they share
   * @throws Error when one of them cannot start
   */
  async start(given: Settings, metrics: Metrics): Promise<Ports> {
    const settings = shareOf(given, this.places.length);
    const [first, ...others] = this.places.map(({ process }) => process);
    if (!first) throw new Error('no process accepts');
    // what is made once, as the certificate of SMTP, is there when the others come
    const ports = await first.start(settings);
    await Promise.all(others.map((process) => process.start(settings)));
    for (const { process } of this.places) this.logStarted(process);
    const ends = this.observe(metrics);
    this.keeping = Promise.all(this.places.map((place) => this.keep(place, settings, () => ends.inc())));
    return ports;
  }

  /** Whether requests are accepted: by one of them at least. */
  async ready(): Promise<boolean> {
    const states = await Promise.all(this.places.map(({ process }) => process.state()));
    return states.some((state) => state?.ready === true);
  }

  async snapshots(): Promise<MetricsSnapshot[]> {
    await Promise.all(this.places.map(({ process }) => process.state()));
    return this.places.flatMap(({ process, counts }) => [process.metrics, counts]);
  }

  readonly forgetDomain: Forget = (accountId, domain) => {
    for (const { process } of this.places) process.forgetDomain(accountId, domain);
  };

  /** @param follower told while somebody sends to one of them */
  followedBy(follower: () => void): void {
    this.othersSend = follower;
  }

  async stop(leftMs: number): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.places.map(({ process }) => process.stop(leftMs)));
    await this.keeping;
  }

  private observe(metrics: Metrics) {
    metrics.gauge(
      'postmesh_accept_processes',
      'Processes that accept: running, starting (again)',
      ['state'],
      (gauge) => {
        const running = this.places.filter(({ process }) => process.isRunning).length;
        gauge.set({ state: 'running' }, running);
        gauge.set({ state: 'starting' }, this.places.length - running);
      },
    );
    return metrics.counter(
      'postmesh_accept_process_ends_total',
      'Processes that accept and ended by themselves',
    );
  }

  /** Until the stop. */
  private async keep(place: Place, settings: Settings, onEnd: () => void): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; ;) {
      const how = await place.process.ended;
      if (signal.aborted) return;
      failures = performance.now() - place.process.startedAt > STABLE_MS ? 1 : failures + 1;
      const waitMs = backoffMs(failures, RESTART);
      onEnd();
      this.logger.error(
        { event: 'accept_process.ended', part: place.name, how, restart_ms: waitMs },
        'accept process ended, is started again',
      );
      place.counts = await countsOf([place.counts, place.process.metrics]);
      place.process.forgetMetrics();
      await pause(waitMs, signal);
      if (signal.aborted) return;
      place.process = new AcceptProcess(place.name, this.server);
      await this.startAgain(place, settings);
    }
  }

  private logStarted({ name, pid }: AcceptProcess): void {
    this.logger.info({ event: 'accept_process.started', part: name, pid }, 'a process accepts');
  }

  private async startAgain({ name, process }: Place, settings: Settings): Promise<void> {
    try {
      await process.start(settings);
      this.logStarted(process);
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.logger.error(
        { event: 'accept_process.not_started', part: name, err: error },
        'accept process did not start',
      );
      // one that said nothing in time is still there
      process.kill();
    }
  }
}
