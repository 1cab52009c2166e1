import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import type { Jobs } from '@postmesh/jobs';
import { JOBS } from '@postmesh/service-host';

const EVERY_MS = 300_000;
const KEPT_DAYS = 7;
const BATCH = 10_000;
// A run that finds more goes on in the next one.
const MAX_BATCHES = 100;

const PRUNE = { queue: 'webhook-dispatcher', name: 'prune', everyMs: EVERY_MS, timeoutMs: 300_000 };

/** Forgets attempts after a week. */
@Injectable()
export class PruneAttempts implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(PRUNE, (signal) => this.prune(signal));
  }

  async prune(signal: AbortSignal): Promise<void> {
    const pruneBatch = () => changedRows(this.dataSource, PRUNE_BATCH, [KEPT_DAYS]);
    await inBatches(pruneBatch, { size: BATCH, max: MAX_BATCHES, signal });
  }
}

const PRUNE_BATCH = `delete from attempts where ctid = any(array(
    select ctid from attempts where started_at < now() - make_interval(days => $1) limit ${BATCH}))`;
