import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows, deleteOlder } from '@postmesh/database';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { Periodic } from '@postmesh/work';

const DAY_SECONDS = 86_400;
const BATCH = 1_000;

/** Deletes rows that are too old; no list shows them without this. */
@Injectable()
export class ForgetRefusedRequests {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'requestLogDays'>,
  ) {}

  @Periodic({ name: 'forget-refused-requests', everyMs: 600_000, timeoutMs: 300_000 })
  async forget(signal: AbortSignal): Promise<void> {
    const { requestLogDays: days } = this.settings;
    const olderThanSeconds = days * DAY_SECONDS;
    await deleteOlder(this.dataSource, {
      table: 'refused_requests',
      column: 'created_at',
      olderThanSeconds,
      signal,
    });
    await inBatches(() => changedRows(this.dataSource, DAYS, [days]), { size: BATCH, signal });
  }
}

const DAYS = `delete from refused_request_days where ctid = any(array(
  select ctid from refused_request_days where day < (now() at time zone 'utc')::date - $1::int
  order by day limit ${BATCH}))`;
