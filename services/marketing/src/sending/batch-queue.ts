import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { constantRooms, LeasedQueue } from '@postmesh/work';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS, stopTimes } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { BatchAttempt, type BatchResult } from './batch-attempt.js';
import { BatchRecorder } from './batch-recorder.js';
import { CAMPAIGN_BATCHES, type CampaignBatch } from './campaign-batches.table.js';
import { CampaignFeeder } from './campaign-feeder.js';

// Longer than a usual batch; the lease of a longer one is renewed.
const LEASE_S = 60;

/** The due batches of campaigns, handed over by all processes of the service. */
@Injectable()
export class BatchQueue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly queue: LeasedQueue<CampaignBatch, BatchResult>;

  constructor(
    private readonly dataSource: DataSource,
    attempt: BatchAttempt,
    recorder: BatchRecorder,
    private readonly feeder: CampaignFeeder,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) logger: Logger,
    metrics: Metrics,
  ) {
    const concurrency = settings.campaignConcurrency;
    this.queue = new LeasedQueue<CampaignBatch, BatchResult>(
      dataSource,
      CAMPAIGN_BATCHES,
      {
        make: (batch) => attempt.make(batch),
        record: (tx, results) => recorder.record(tx, results, (endings) => this.queue.settle(tx, endings)),
        recorded: (result, own) => {
          feeder.raise();
          return attempt.log(result, own);
        },
        // the same message ids are handed over again, so other workers may take every row
        hasBegun: () => false,
        stop: (graceMs) => attempt.stop(graceMs),
      },
      {
        concurrency,
        rooms: constantRooms(concurrency),
        leaseSeconds: LEASE_S,
        graceMs: stopTimes(settings).graceMs,
        clock: attempt.clock,
      },
      logger,
    );
    this.observe(metrics);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.queue.start();
    this.feeder.onFed(() => this.queue.wake());
  }

  /** Lets running attempts end within the grace period of a stop; the rest is released. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queue.stop();
  }

  private observe(metrics: Metrics): void {
    metrics.gauge(
      'postmesh_campaign_batches_in_flight',
      'Batches of campaigns that are being handed over now',
      [],
      (gauge) => gauge.set(this.queue.size),
    );
    metrics.gauge(
      'postmesh_campaign_batches_late_seconds',
      'Time since the oldest batch that no worker hands over became due',
      [],
      async (gauge) => gauge.set(await this.lateSeconds()),
    );
  }

  /** A failed query shows in health, and the other metrics stay readable. */
  private async lateSeconds(): Promise<number> {
    const rows: { late: number | null }[] = await this.dataSource.query(LATE).catch(() => []);
    return Math.max(0, rows[0]?.late ?? 0);
  }
}

const LATE = `select extract(epoch from now() - least(
    (select min(due_at) from campaign_batches where state = 'waiting'),
    (select min(due_at) from campaign_batches where state = 'ready')))::float8 as late`;
