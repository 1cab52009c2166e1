import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import type { Jobs } from '@postmesh/jobs';
import { JOBS } from '@postmesh/service-host';

const EVERY_MS = 600_000;
const BATCH = 10_000;

const PRUNE = { queue: 'delivery-worker', name: 'prune-shaping', everyMs: EVERY_MS, timeoutMs: 300_000 };

/** Forgets limits that changed last two weeks ago, suspensions that nothing repeats, and what dead workers used. */
@Injectable()
export class PruneShaping implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(PRUNE, (signal) => this.prune(signal));
  }

  async prune(signal: AbortSignal): Promise<void> {
    const limits = { size: BATCH, signal };
    for (const [table, condition] of FORGOTTEN) {
      const statement = `delete from ${table} where ctid = any(array(
        select ctid from ${table} where ${condition} limit ${BATCH}))`;
      await inBatches(() => changedRows(this.dataSource, statement), limits);
    }
  }
}

// A strike counts for six hours after its suspension; days are those of learning.rules.ts.
const FORGOTTEN = [
  ['shaping_state', `changed_at < now() - interval '14 days'`],
  ['suspensions', `suspended_until < now() - interval '6 hours'`],
  ['shaping_use', `told_at < now() - interval '1 hour'`],
] as const;
