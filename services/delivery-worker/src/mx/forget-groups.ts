import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';

const BATCH = 5_000;

/** Removes the groups of domains that no mail went to for a week. */
@Injectable()
export class ForgetGroups {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'forget-mx-groups', everyMs: 3_600_000, timeoutMs: 600_000 })
  async forget(signal: AbortSignal): Promise<void> {
    const forgetBatch = () => changedRows(this.dataSource, EXPIRED, [BATCH]);
    await inBatches(forgetBatch, { size: BATCH, signal });
  }
}

const EXPIRED = `
  delete from mx_domains where domain = any(array(
    select domain from mx_domains where expires_at < now() order by expires_at limit $1 for update skip locked))`;
