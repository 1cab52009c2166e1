import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { eachBounded, inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import { StsPolicies } from './sts-policies.js';

// A policy without mail for this long is removed, and found again with the next message.
const UNUSED_DAYS = 180;
const EXPIRED_DAYS = 30;
const BATCH = 100;
// Limit of fetches per run; the rest is left to the next run.
const MAX_BATCHES = 50;
const AT_ONCE = 20;

/** Fetches the stored MTA-STS policies again every day, and removes unused ones. */
@Injectable()
export class KeepStsPolicies {
  constructor(
    private readonly dataSource: DataSource,
    private readonly policies: StsPolicies,
  ) {}

  @Periodic({ name: 'keep-sts-policies', everyMs: 600_000, timeoutMs: 1_800_000 })
  async keep(signal: AbortSignal): Promise<void> {
    await inBatches(() => changedRows(this.dataSource, FORGET_UNUSED, [UNUSED_DAYS]), {
      size: BATCH,
      signal,
    });
    await inBatches(() => changedRows(this.dataSource, FORGET_EXPIRED, [EXPIRED_DAYS]), {
      size: BATCH,
      signal,
    });
    await inBatches(() => this.refresh(), { size: BATCH, max: MAX_BATCHES, signal });
  }

  private async refresh(): Promise<number> {
    const [due]: [{ domain: string; id: string }[], number] = await this.dataSource.query(TAKE_DUE);
    await eachBounded(due, AT_ONCE, async ({ domain, id }) => void (await this.policies.refresh(domain, id)));
    return due.length;
  }
}

// A failed fetch is tried again after an hour; a successful one sets its own time.
const TAKE_DUE = `
  update sts_policies set refresh_at = now() + interval '1 hour' where domain = any(array(
    select domain from sts_policies where refresh_at <= now() order by refresh_at limit ${BATCH}
    for update skip locked))
  returning domain, policy_id as id`;
const forgetBy = (column: 'used_at' | 'expires_at') => `
  delete from sts_policies where domain = any(array(
    select domain from sts_policies where ${column} < now() - make_interval(days => $1)
    order by ${column} limit ${BATCH} for update skip locked))`;
const FORGET_UNUSED = forgetBy('used_at');
const FORGET_EXPIRED = forgetBy('expires_at');
