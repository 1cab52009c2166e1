import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DebouncedTask, inBatches } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { foldCounts } from './campaign-counts.js';

// Reads add the unfolded deltas: the counters are exact without this job, which keeps reads cheap.
const EVERY_MS = 5_000;
const BATCH_SIZE = 5_000;

/** Folds the counters of campaigns; safe with several processes. */
@Injectable()
export class FoldCounts implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly folding = new DebouncedTask(
    (signal) => this.fold(signal),
    (error) =>
      this.logger.warn(
        { event: 'campaign_counts.fold_failed', err: error },
        'aggregating counters failed, will retry',
      ),
  );

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.folding.every(EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.folding.stop();
  }

  private async fold(signal: AbortSignal): Promise<void> {
    const limits = { size: BATCH_SIZE, signal };
    await inBatches(() => foldCounts(this.dataSource, BATCH_SIZE), limits);
  }
}
