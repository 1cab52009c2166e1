import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { tryLockCounters } from './counters-lock.js';
import { FIGURES } from './statistics-facts.rules.js';

/** Each level, and the level of which it is the sum. */
const STEPS = [
  { level: 'day', finer: 'hour' },
  { level: 'month', finer: 'day' },
] as const;
type Step = (typeof STEPS)[number];

// The fold adds later facts to day and month: more work, the same figures.
const WAIT_MINUTES = 10;
// Accounts per transaction; it writes their rows of one day or month.
const ACCOUNTS_PER_BATCH = 100;
// A year of days with many accounts each; the next run continues.
const MAX_BATCHES = 2_000;

/** Sums up hours into days and days into months once they are over, account by account. */
@Injectable()
export class RollUpStatistics {
  constructor(private readonly dataSource: DataSource) {}

  async rollUp(now: Date, signal: AbortSignal): Promise<void> {
    for (const step of STEPS) {
      for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
        if (!(await this.isDue(step, now)) || !(await this.rollUpBatch(step, now))) break;
      }
    }
  }

  private async isDue(step: Step, now: Date): Promise<boolean> {
    return (await readDue(this.dataSource.manager, step, now)) !== undefined;
  }

  /** @returns false when another process holds the lock */
  private rollUpBatch(step: Step, now: Date): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      if (!(await tryLockCounters(tx))) return false;
      const due = await readDue(tx, step, now);
      if (!due) return false;
      // the day of a huge account may take long, and would start from the beginning after each timeout
      await tx.query(`set local statement_timeout = '10min'`);
      const accounts = await nextAccounts(tx, step, due);
      // replaces the rows: moving the progress back makes everything since then be summed up again
      await tx.query(
        `delete from statistics_counters where account_id = any($1::uuid[])
           and detail = any('{total,recipient,tags,recipient-tags,campaigns}'::text[]) and level = $2 and from_time = $3`,
        [accounts, step.level, due.from],
      );
      await tx.query(SUM_UP, [step.level, step.finer, accounts, due.from, due.to]);
      const last = accounts.length < ACCOUNTS_PER_BATCH ? null : accounts.at(-1);
      await tx.query(
        'update statistics_progress set complete_until = $2, after_account = $3 where level = $1',
        [step.level, last === null ? due.to : due.from, last],
      );
      return true;
    });
  }
}

/** A day or month, with its finished accounts. */
interface Due {
  from: Date;
  to: Date;
  after: string | null;
}

/** A month is due when its last day has been rolled up. */
async function readDue(manager: EntityManager, { level, finer }: Step, now: Date): Promise<Due | undefined> {
  const rows: Due[] = await manager.query(
    `select p.complete_until as "from", p.after_account as "after",
       (p.complete_until at time zone 'UTC' + ('1 ' || p.level)::interval) at time zone 'UTC' as "to"
     from statistics_progress p where p.level = $1`,
    [level],
  );
  const [due] = rows;
  if (!due || due.to.getTime() + WAIT_MINUTES * 60_000 > now.getTime()) return undefined;
  if (finer === 'hour') return due;
  const [days]: { until: Date }[] = await manager.query(
    'select complete_until as "until" from statistics_progress where level = $1',
    [finer],
  );
  return days && days.until >= due.to ? due : undefined;
}

async function nextAccounts(tx: EntityManager, { finer }: Step, due: Due): Promise<string[]> {
  const rows: { id: string }[] = await tx.query(
    `select distinct account_id as id from statistics_counters
     where detail = any('{total,campaigns}'::text[]) and level = $1 and from_time >= $2 and from_time < $3
       and ($4::uuid is null or account_id > $4) order by account_id limit ${ACCOUNTS_PER_BATCH}`,
    [finer, due.from, due.to, due.after],
  );
  return rows.map(({ id }) => id);
}

const SUM_UP = `
  insert into statistics_counters (account_id, detail, level, from_time, series, domain, recipient_domain, tags,
    classification, ${FIGURES.join(', ')}, delivery_ms)
  select account_id, detail, $1, $4, series, domain, recipient_domain, tags, classification,
    ${FIGURES.map((figure) => `sum(${figure})`).join(', ')}, sum(delivery_ms)
  from statistics_counters
  where account_id = any($3::uuid[]) and detail = any('{total,recipient,tags,recipient-tags,campaigns}'::text[]) and level = $2
    and from_time >= $4 and from_time < $5
  group by account_id, detail, series, domain, recipient_domain, tags, classification`;
