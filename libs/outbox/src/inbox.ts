import type { DataSource, EntityManager } from 'typeorm';

const PRUNE_BATCH = 20_000;

/** Absorbs redelivery: an event counts once per consumer, in the transaction of its effect. */
export class Inbox {
  /**
   * Marks events as taken and returns those that were not taken before, in their order. One statement for
   * the whole batch.
   * @param manager the transaction in which the handler writes
   */
  async admit<E extends { id: string }>(
    manager: EntityManager,
    consumer: string,
    events: readonly E[],
  ): Promise<E[]> {
    if (events.length === 0) return [];
    const rows: { event_id: string }[] = await manager.query(
      `insert into inbox (consumer, event_id)
       select $1, id from unnest($2::uuid[]) with ordinality as given(id, at)
       on conflict do nothing returning event_id`,
      [consumer, events.map((event) => event.id)],
    );
    const fresh = new Set(rows.map((row) => row.event_id));
    // a batch may name an event twice; the first one wins
    return events.filter((event) => fresh.delete(event.id));
  }

  /**
   * Forgets what no bus can redeliver any more. Bounded: one batch per call.
   * @returns rows deleted; call again while it equals the batch
   */
  async prune(dataSource: DataSource, olderThanDays: number): Promise<number> {
    const [, count]: [unknown, number] = await dataSource.query(
      `delete from inbox where ctid = any(array(
         select ctid from inbox where received_at < now() - make_interval(days => $1) limit ${PRUNE_BATCH}))`,
      [olderThanDays],
    );
    return count;
  }
}
