import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import type { Jobs } from '@postmesh/jobs';
import { JOBS } from '@postmesh/service-host';
import { TROUBLES } from './automatic-suppressions.rules.js';

const EVERY_MS = 3_600_000;
const BATCH_SIZE = 5_000;

const PRUNE = { queue: 'messages', name: 'prune-recipient-troubles', everyMs: EVERY_MS, timeoutMs: 300_000 };

/** Deletes what no longer counts. */
@Injectable()
export class PruneTroubles implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(PRUNE, (signal) => this.prune(signal));
  }

  async prune(signal: AbortSignal): Promise<void> {
    const pruneBatch = () => changedRows(this.dataSource, PRUNE_BATCH);
    await inBatches(pruneBatch, { size: BATCH_SIZE, signal });
  }
}

const PRUNE_BATCH = `delete from recipient_troubles where ctid = any(array(
    select ctid from recipient_troubles where at <= now() - interval '${TROUBLES.withinDays} days'
    order by at limit ${BATCH_SIZE} for update skip locked))`;
