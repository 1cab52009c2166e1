import type { EntityManager } from 'typeorm';
import type { EventEnvelope } from '@postmesh/contracts';
import { toEventText } from '@postmesh/event-bus';

/** Set on the query runner's data, so that the commit hook knows that there is something to relay. */
export const OUTBOX_PENDING = 'postmesh.outbox';

// JSON has no raw line breaks, so lines carry the envelopes: an array would escape each of their many quotes.
const INSERT = `insert into outbox (stream, key, envelope)
  select * from rows from (unnest($1::text[]), unnest($2::text[]), string_to_table($3, E'\\n'))`;

/**
 * The only way an event leaves a service (architecture §3.3): it is written in the transaction of the
 * change that it tells of, and published by the relay after the commit.
 */
export class Outbox {
  /**
   * @param manager the caller's transaction
   * @throws Error outside a transaction: the event could then be published without its change; Permanent for an
   * event that no bus takes: in the outbox it would hold up all others for ever
   */
  async add(manager: EntityManager, events: EventEnvelope | readonly EventEnvelope[]): Promise<void> {
    const list = Array.isArray(events) ? (events as readonly EventEnvelope[]) : [events as EventEnvelope];
    if (list.length === 0) return;
    if (!manager.queryRunner?.isTransactionActive)
      throw new Error('outbox.add needs the transaction of the change');
    await manager.query(INSERT, [
      list.map((event) => event.stream),
      list.map((event) => event.key),
      list.map(toEventText).join('\n'),
    ]);
    manager.queryRunner.data[OUTBOX_PENDING] = true;
  }
}
