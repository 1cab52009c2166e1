import type { DataSource, EntityManager } from 'typeorm';
import type { BatchEntry } from './consumption/batch-entries.js';

const PRUNE_BATCH = 20_000;

const isMarked = ({ consumer, mayRepeat }: BatchEntry): boolean => mayRepeat && consumer !== undefined;

/** Absorbs redelivery: an event counts once per consumer, in the transaction of its effect. */
export class Inbox {
  /**
   * Marks events as taken and returns those that were not taken before, in their order; an event that a batch names
   * twice is there once. One statement for the whole batch. What cannot come twice, or has no consumer, passes.
   * @param tx the transaction in which the consumers write
   */
  async admitEntries(tx: EntityManager, entries: readonly BatchEntry[]): Promise<BatchEntry[]> {
    const known = entries.filter(isMarked);
    if (known.length === 0) return [...entries];
    const rows: { consumer: string; event_id: string }[] = await tx.query(
      `insert into inbox (consumer, event_id) select * from unnest($1::text[], $2::uuid[])
       on conflict do nothing returning consumer, event_id`,
      [known.map(({ consumer }) => consumer?.name), known.map(({ eventId }) => eventId)],
    );
    const fresh = new Set(rows.map(({ consumer, event_id }) => `${consumer} ${event_id}`));
    return entries.filter(
      (entry) => !isMarked(entry) || fresh.delete(`${entry.consumer?.name} ${entry.eventId.toLowerCase()}`),
    );
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
