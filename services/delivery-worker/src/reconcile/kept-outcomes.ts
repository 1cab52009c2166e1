import { Injectable } from '@nestjs/common';
import { inBatches } from '@postmesh/concurrency';
import type { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import type { EventEnvelope } from '@postmesh/contracts';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import { Outbox } from '@postmesh/events';
import { DataSource, type EntityManager } from 'typeorm';

// The sweep of the messages service runs once a day at least.
const KEPT_HOURS = 30;
// Time that an outcome may need until the messages service has handled it.
const ON_ITS_WAY = '2 minutes';
const BATCH = 1_000;

/**
 * Outcomes of deliveries after their rows are gone: a topic of Kafka may be lost after an outcome was published and
 * before it was handled. In the log of this database an event is as safe as a row, and nothing is retained.
 */
@Injectable()
export class KeptOutcomes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
  ) {}

  /** @param events each the last one of its delivery */
  async keep(tx: EntityManager, events: readonly EventEnvelope[]): Promise<void> {
    if (events.length === 0 || this.outbox.way === 'log') return;
    await tx.query('insert into kept_outcomes (message_ids, envelopes) values ($1::uuid[], $2)', [
      events.map((event) => (event as Outcome).data.message_id),
      events.map((event) => JSON.stringify(event)).join('\n'),
    ]);
  }

  /**
   * Publishes them again, under their old ids: consumers that have handled one leave it out.
   * @returns the messages whose outcome was found
   */
  retell(messageIds: readonly string[]): Promise<string[]> {
    if (messageIds.length === 0) return Promise.resolve([]);
    return this.dataSource.transaction(async (tx) => {
      const late: unknown[] = await tx.query(LATE);
      // the bus is unavailable: the outcomes are in the queue behind which these would be put
      if (late.length > 0) return [];
      const rows: { envelopes: string }[] = await tx.query(HOLDING, [messageIds]);
      const wanted = new Set(messageIds);
      const events = rows
        .flatMap(({ envelopes }) => envelopes.split('\n'))
        // written by `keep` from checked events, so they are not proven again
        .map((text) => JSON.parse(text) as Outcome)
        .filter(({ data }) => wanted.delete(data.message_id));
      await this.outbox.add(tx, events);
      return events.map(({ data }) => data.message_id);
    });
  }

  @Periodic({ name: 'forget-outcomes', everyMs: 300_000, timeoutMs: 300_000 })
  async forget(signal: AbortSignal): Promise<void> {
    const limits = { size: BATCH, signal };
    await inBatches(() => changedRows(this.dataSource, OLD, [KEPT_HOURS]), limits);
  }
}

type Outcome = ReturnType<typeof DeliveryAttempted.make>;

// Reads all retained ids. It runs only after a loss, and a row per id would cost every delivery more than that.
const HOLDING = `
  select envelopes from kept_outcomes k where kept_at < now() - interval '${ON_ITS_WAY}' and exists (
    select from unnest(k.message_ids) as kept(id) where kept.id = any($1::uuid[]))
  order by kept_at desc`;

const LATE = `select 1 from outbox where created_at < now() - interval '${ON_ITS_WAY}' limit 1`;

const OLD = `delete from kept_outcomes where ctid = any(array(
  select ctid from kept_outcomes where kept_at < now() - make_interval(hours => $1) limit ${BATCH}))`;
