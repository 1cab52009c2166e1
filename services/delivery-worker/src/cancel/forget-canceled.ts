import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';

/** Ingested requests are remembered for this long: an outcome may need some time to reach the messages service. */
export const INTAKES_KEPT_DAYS = 3;
const BATCH = 10_000;

/** Removes canceled deliveries, and the record of intakes, once no client can ask for them any more. */
@Injectable()
export class ForgetCanceled {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'forget-canceled', everyMs: 300_000, timeoutMs: 300_000 })
  async forget(signal: AbortSignal): Promise<void> {
    const limits = { size: BATCH, signal };
    await inBatches(() => changedRows(this.dataSource, CANCELED), limits);
    await inBatches(() => changedRows(this.dataSource, INTAKES, [INTAKES_KEPT_DAYS]), limits);
  }
}

const CANCELED = `delete from deliveries where id = any(array(
  select id from deliveries where state = 'canceled' and due_at <= now() limit ${BATCH}))`;
const INTAKES = `delete from intakes where ctid = any(array(
  select ctid from intakes where taken_at < now() - make_interval(days => $1) limit ${BATCH}))`;
