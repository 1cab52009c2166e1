import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';

const BATCH_SIZE = 1_000;

/** Deletes expired rows. They no longer block, so no event is published. */
@Injectable()
export class PurgeSuppressions {
  constructor(private readonly dataSource: DataSource) {}

  // Within a day (spec 1-platform §14.3 rule 2).
  @Periodic({ name: 'purge-suppressions', everyMs: 60_000, timeoutMs: 300_000 })
  async purge(signal: AbortSignal): Promise<void> {
    const purgeBatch = () => changedRows(this.dataSource, PURGE_BATCH);
    await inBatches(purgeBatch, { size: BATCH_SIZE, signal });
  }
}

// The second condition matches that of the index.
const PURGE_BATCH = `delete from suppressions s using (
    select account_id, domain, email from suppressions
    where expires_at <= now() and expires_at < '9999-01-01T00:00:00Z'
    order by expires_at limit ${BATCH_SIZE} for update skip locked) as expired
  where s.account_id = expired.account_id and s.domain = expired.domain and s.email = expired.email`;
