import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { defineJob, type Jobs } from '@postmesh/jobs';
import { JOBS } from '@postmesh/service-host';

const EVERY_MS = 300_000;
const KEPT_DAYS = 7;
const BATCH = 10_000;
// A run that finds more goes on in the next one.
const MOST_BATCHES = 100;

const PRUNE = defineJob({
  queue: 'webhook-dispatcher',
  name: 'prune-attempts',
  payload: z.object({}),
  attempts: 1,
  backoff: { firstMs: 1_000, maxMs: 1_000 },
  timeoutMs: 300_000,
  concurrency: 1,
});

/** Forgets attempts after a week. */
@Injectable()
export class PruneAttempts implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.process({ prune: PRUNE }, { prune: ({ signal }) => this.prune(signal) });
    await this.jobs.every(PRUNE, {}, { id: 'prune-attempts', everyMs: EVERY_MS });
  }

  async prune(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
      const [, count]: [unknown, number] = await this.dataSource.query(
        `delete from attempts where ctid = any(array(
           select ctid from attempts where started_at < now() - make_interval(days => $1) limit ${BATCH}))`,
        [KEPT_DAYS],
      );
      if (count < BATCH) return;
    }
  }
}
