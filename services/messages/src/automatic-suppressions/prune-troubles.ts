import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import { TROUBLES } from './automatic-suppressions.rules.js';

const BATCH_SIZE = 5_000;

/** Deletes rows that no longer count. */
@Injectable()
export class PruneTroubles {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'prune-recipient-troubles', everyMs: 3_600_000, timeoutMs: 300_000 })
  async prune(signal: AbortSignal): Promise<void> {
    const pruneBatch = () => changedRows(this.dataSource, PRUNE_BATCH);
    await inBatches(pruneBatch, { size: BATCH_SIZE, signal });
  }
}

const PRUNE_BATCH = `delete from recipient_troubles where ctid = any(array(
    select ctid from recipient_troubles where at <= now() - interval '${TROUBLES.withinDays} days'
    order by at limit ${BATCH_SIZE} for update skip locked))`;
