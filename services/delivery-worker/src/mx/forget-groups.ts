import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import type { Jobs } from '@postmesh/jobs';
import { JOBS } from '@postmesh/service-host';

const EVERY_MS = 3_600_000;
const BATCH = 5_000;

const FORGET = {
  queue: 'delivery-worker',
  name: 'forget-mx-groups',
  everyMs: EVERY_MS,
  timeoutMs: 600_000,
};

/** Removes the groups of domains that no mail went to for a week. */
@Injectable()
export class ForgetGroups implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(FORGET, (signal) => this.forget(signal));
  }

  async forget(signal: AbortSignal): Promise<void> {
    const forgetBatch = () => changedRows(this.dataSource, EXPIRED, [BATCH]);
    await inBatches(forgetBatch, { size: BATCH, signal });
  }
}

const EXPIRED = `
  delete from mx_domains where domain = any(array(
    select domain from mx_domains where expires_at < now() order by expires_at limit $1 for update skip locked))`;
