import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DebouncedTask } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { PeriodicTasks } from '@postmesh/work';
import { CONTACT_COUNTS } from '../lists/lists.repository.js';
import { CAMPAIGN_COUNTS } from './campaign-counts.js';

const EVERY_MS = 5_000;
// While nothing is counted.
const IDLE_MS = 20_000;

/**
 * Folds the counters of lists and campaigns. They are exact without it: this keeps reading them cheap. No job: a run costs
 * less than the job around it would.
 */
@Injectable()
export class FoldCounts implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly folding = new DebouncedTask(
    async (signal) => (await this.fold(signal)) > 0,
    (error) =>
      this.logger.warn({ event: 'counts.fold_failed', err: error }, 'folding counters failed, will retry'),
  );

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    if (this.tasks.areHere) this.folding.every(EVERY_MS, IDLE_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.folding.stop();
  }

  /** @returns the number of folded changes */
  async fold(signal: AbortSignal): Promise<number> {
    let folded = 0;
    for (const counters of [CONTACT_COUNTS, CAMPAIGN_COUNTS]) {
      folded += await counters.fold(this.dataSource, signal);
    }
    return folded;
  }
}
