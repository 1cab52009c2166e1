import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { databaseNow } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import { DAY_MS, HISTORY_DAYS } from './time-ranges.rules.js';

const BATCH_SIZE = 10_000;
const ACCOUNTS_AT_ONCE = 1_000;
/** Spec 1-platform §15 rule 7: the current month and 13 whole ones before it. */
const KEEP_MONTHS = 13;
// Expired single facts are searched in the accounts that sent in the week before their expiry.
const HISTORY_WEEK_DAYS = 7;
// Those that find an account are deleted last.
const DETAILS = ['templates', 'providers', 'recipient-tags', 'tags', 'recipient', 'campaigns', 'total'];
// Opens and clicks of a deleted account arrive while its records are kept: 30 days at most.
const LAST_FACT_DAYS = 31;

/** Deletes expired statistics, and those of deleted accounts, in bounded batches. */
@Injectable()
export class PruneStatistics {
  constructor(private readonly dataSource: DataSource) {}

  /** Now, by the database's clock. */
  @Periodic({ name: 'prune-statistics', everyMs: 600_000, timeoutMs: 300_000 })
  async run(signal: AbortSignal): Promise<void> {
    await this.prune(await databaseNow(this.dataSource), signal);
  }

  async prune(now: Date, signal: AbortSignal): Promise<void> {
    await this.pruneDeletedAccounts(signal);
    await this.pruneHistory(now, signal);
    await this.pruneCounters(now, signal);
  }

  /** At once, and again after the last possible fact. */
  private async pruneDeletedAccounts(signal: AbortSignal): Promise<void> {
    const due: { id: string; begunAt: Date }[] = await this.dataSource.query(
      `select account_id as id, now() as "begunAt" from deleted_accounts
       where statistics_deleted_at is null
          or (statistics_deleted_at < deleted_at + make_interval(days => $1) and deleted_at + make_interval(days => $1) < now())
       order by deleted_at limit 1000`,
      [LAST_FACT_DAYS],
    );
    for (const { id, begunAt } of due) {
      const all =
        (await this.deleteHistory([id], null, signal)) && (await this.deleteCounters(id, null, signal));
      if (!all) return;
      await this.dataSource.query(
        'update deleted_accounts set statistics_deleted_at = $2 where account_id = $1',
        [id, begunAt],
      );
    }
  }

  private async pruneHistory(now: Date, signal: AbortSignal): Promise<void> {
    const until = new Date(now.getTime() - HISTORY_DAYS * DAY_MS);
    const from = new Date(until.getTime() - HISTORY_WEEK_DAYS * DAY_MS);
    const rows: { id: string }[] = await this.dataSource.query(
      `select distinct account_id as id from statistics_counters
       where detail = any('{total,campaigns}'::text[]) and level = 'hour' and from_time >= $1 and from_time < $2`,
      [from, until],
    );
    for (let at = 0; at < rows.length; at += ACCOUNTS_AT_ONCE) {
      const accounts = rows.slice(at, at + ACCOUNTS_AT_ONCE).map(({ id }) => id);
      if (!(await this.deleteHistory(accounts, until, signal))) return;
    }
  }

  /** The oldest account first: its totals are deleted last, so that an aborted run finds it again. */
  private async pruneCounters(now: Date, signal: AbortSignal): Promise<void> {
    const until = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - KEEP_MONTHS, 1));
    const due: { id: string }[] = await this.dataSource.query(
      `select distinct account_id as id from statistics_counters
       where detail = any('{total,campaigns}'::text[]) and level = any('{hour,day,month}') and from_time < $1`,
      [until],
    );
    for (const { id } of due) {
      if (!(await this.deleteHistory([id], until, signal)) || !(await this.deleteCounters(id, until, signal)))
        return;
    }
  }

  private async deleteCounters(account: string, until: Date | null, signal: AbortSignal): Promise<boolean> {
    for (const detail of DETAILS) {
      const all = await this.deleteBatches(
        `delete from statistics_counters where ctid = any(array(
           select ctid from statistics_counters
           where account_id = $1 and detail = $2 and level = any('{hour,day,month}')
             and from_time < coalesce($3::timestamptz, 'infinity') limit ${BATCH_SIZE}))`,
        [account, detail, until],
        signal,
      );
      if (!all) return false;
    }
    return true;
  }

  private deleteHistory(accounts: string[], until: Date | null, signal: AbortSignal): Promise<boolean> {
    return this.deleteBatches(
      `delete from statistics_history where ctid = any(array(
         select ctid from statistics_history
         where account_id = any($1::uuid[]) and at < coalesce($2::timestamptz, 'infinity') limit ${BATCH_SIZE}))`,
      [accounts, until],
      signal,
    );
  }

  /** @returns false when it was aborted */
  private deleteBatches(sql: string, parameters: unknown[], signal: AbortSignal): Promise<boolean> {
    const deleteBatch = async () => {
      const [, deleted]: [unknown[], number] = await this.dataSource.query(sql, parameters);
      return deleted;
    };
    return inBatches(deleteBatch, { size: BATCH_SIZE, signal });
  }
}
