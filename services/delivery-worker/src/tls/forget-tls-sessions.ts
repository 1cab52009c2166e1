import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';

/** A day is reported within the next one. */
const KEPT_DAYS = 3;
const BATCH = 5_000;

/** Deletes counts of sessions whose day is reported. */
@Injectable()
export class ForgetTlsSessions {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'forget-tls-sessions', everyMs: 3_600_000, timeoutMs: 300_000 })
  async forget(signal: AbortSignal): Promise<void> {
    await inBatches(() => changedRows(this.dataSource, FORGET, [KEPT_DAYS]), { size: BATCH, signal });
  }
}

const FORGET = `
  delete from tls_sessions where ctid = any(array(
    select ctid from tls_sessions where day < (now() at time zone 'UTC')::date - $1::int
    order by day limit ${BATCH} for update skip locked))`;
