import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { databaseNow } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import { ADD_UP } from './usage-counter.js';
import { usagePeriod } from './usage.rules.js';

const BATCH_SIZE = 5_000;
// No commit counts in a month that ended this long ago.
const SETTLED_DAYS = 2;

/** Merges the slots of past months, which have no writers: one row per account and month remains. */
@Injectable()
export class FoldUsage {
  constructor(private readonly dataSource: DataSource) {}

  /** Now, by the database's clock. */
  @Periodic({ name: 'fold-usage', everyMs: 3_600_000, timeoutMs: 300_000 })
  async run(signal: AbortSignal): Promise<void> {
    await this.fold(await databaseNow(this.dataSource), signal);
  }

  async fold(now: Date, signal: AbortSignal): Promise<void> {
    const current = usagePeriod(new Date(now.getTime() - SETTLED_DAYS * 86_400_000));
    const foldBatch = async () => {
      const [row]: { taken: number }[] = await this.dataSource.query(FOLD_BATCH, [current, BATCH_SIZE]);
      return row?.taken ?? 0;
    };
    await inBatches(foldBatch, { size: BATCH_SIZE, signal });
  }
}

// Slot -1 is the merged row; rows that another process locks are skipped.
const FOLD_BATCH = `
  with past as materialized (
    select ctid from usage where slot >= 0 and period < $1 order by period limit $2 for update skip locked),
  taken as (delete from usage u using past where u.ctid = past.ctid returning u.*),
  folded as (
    insert into usage (account_id, whole_family, period, slot, family_id, accepted, last_accepted_at)
    select account_id, whole_family, period, -1, family_id, sum(accepted), max(last_accepted_at)
    from taken group by account_id, whole_family, period, family_id
    order by account_id, whole_family, period
    on conflict ${ADD_UP})
  select count(*)::int as taken from taken`;
