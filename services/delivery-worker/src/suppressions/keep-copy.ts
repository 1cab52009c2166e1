import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows, databaseNow } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import { ReadSuppressions } from './read-suppressions.js';
import { SuppressionCopy } from './suppression-copy.js';

// Ended rows are removed within a day (spec 1-platform §14.3 rule 2); until then they reject changes that are older
// than their end.
const ENDED_HOURS = 20;
const READ_AGAIN_MS = 24 * 3_600_000;
const BATCH = 5_000;

/** Purges the copy of suppressions, and compares it with the lists once a day. */
@Injectable()
export class KeepCopy {
  constructor(
    private readonly dataSource: DataSource,
    private readonly copy: SuppressionCopy,
    private readonly reading: ReadSuppressions,
  ) {}

  @Periodic({ name: 'keep-suppression-copy', everyMs: 3_600_000, timeoutMs: 1_800_000 })
  async keep(signal: AbortSignal): Promise<void> {
    const limits = { size: BATCH, signal };
    await inBatches(() => changedRows(this.dataSource, PURGE_ENDED, [BATCH, ENDED_HOURS]), limits);
    await inBatches(() => changedRows(this.dataSource, PURGE_DELETED_ACCOUNTS, [BATCH]), limits);
    const readAt = await this.copy.readAt(this.dataSource);
    const now = await databaseNow(this.dataSource);
    const isOld = readAt === null || now.getTime() - readAt.getTime() >= READ_AGAIN_MS;
    if (isOld && !signal.aborted) await this.reading.readAll(signal);
  }
}

const PURGE_ENDED = `
  delete from suppressions where ctid = any(array(
    select ctid from suppressions
    where coalesce(suppressed_until, learnt_at) < now() - make_interval(hours => $2)
    order by coalesce(suppressed_until, learnt_at) limit $1 for update skip locked))`;

// One probe per account that has any: finds rows that arrived after the end of their account, too.
const PURGE_DELETED_ACCOUNTS = `
  with recursive accounts as (
    (select account_id from suppressions order by account_id limit 1)
    union all
    select (select s.account_id from suppressions s where s.account_id > accounts.account_id
            order by s.account_id limit 1)
    from accounts where accounts.account_id is not null),
  deleted as materialized (
    select account_id from accounts join account_states using (account_id) where state = 'deleted')
  delete from suppressions where ctid = any(array(
    select s.ctid from deleted join suppressions s using (account_id) limit $1 for update of s skip locked))`;
