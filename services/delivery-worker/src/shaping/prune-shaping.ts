import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';

const BATCH = 10_000;

/** Removes limits that last changed two weeks ago, suspensions without a repetition, and the use of dead workers. */
@Injectable()
export class PruneShaping {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'prune-shaping', everyMs: 600_000, timeoutMs: 300_000 })
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
