import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';

const BATCH = 10_000;
// Providers forget an address that was silent for a month (ADR 144): it begins anew.
const KEPT_DAYS = 30;

@Injectable()
export class ForgetBudgets {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'forget-budgets', everyMs: 6 * 3_600_000, timeoutMs: 300_000 })
  async forget(signal: AbortSignal): Promise<void> {
    await inBatches(() => changedRows(this.dataSource, UNUSED, [KEPT_DAYS]), { size: BATCH, signal });
  }
}

const UNUSED = `delete from egress_budgets where ctid = any(array(
  select ctid from egress_budgets where day < (now() at time zone 'utc')::date - $1::int limit ${BATCH}))`;
