import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import type { Jobs } from '@postmesh/jobs';
import { JOBS } from '@postmesh/service-host';

// Within a day (spec 1-platform §14.3 rule 2).
const EVERY_MS = 60_000;
const BATCH_SIZE = 1_000;

const PURGE = { queue: 'messages', name: 'purge-suppressions', everyMs: EVERY_MS, timeoutMs: 300_000 };

/** Deletes rows that have expired. They block nothing any more, so nobody is told. */
@Injectable()
export class PurgeSuppressions implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(PURGE, (signal) => this.purge(signal));
  }

  async purge(signal: AbortSignal): Promise<void> {
    const purgeBatch = () => changedRows(this.dataSource, PURGE_BATCH);
    await inBatches(purgeBatch, { size: BATCH_SIZE, signal });
  }
}

// The second condition is that of the index.
const PURGE_BATCH = `delete from suppressions s using (
    select account_id, domain, email from suppressions
    where expires_at <= now() and expires_at < '9999-01-01T00:00:00Z'
    order by expires_at limit ${BATCH_SIZE} for update skip locked) as expired
  where s.account_id = expired.account_id and s.domain = expired.domain and s.email = expired.email`;
