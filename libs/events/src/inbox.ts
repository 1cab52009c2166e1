import type { DataSource, EntityManager } from 'typeorm';
import type { BatchEntry } from './consumption/batch-entries.js';
import { deleteOlderDays, type OlderDays } from './delete-older-days.js';

const isMarked = ({ consumer, mayRepeat }: BatchEntry): boolean => mayRepeat && consumer !== undefined;

/** Absorbs redelivery: an event counts once per consumer, in the transaction of its effect. */
export class Inbox {
  /**
   * Records events as handled and returns those that were not handled before, in their order; an event that is twice
   * in a batch is returned once. One statement for the whole batch. Events that cannot come twice, or have no
   * consumer, pass.
   * @param tx the transaction in which the consumers write
   */
  async admitEntries(tx: EntityManager, entries: readonly BatchEntry[]): Promise<BatchEntry[]> {
    const known = entries.filter(isMarked);
    if (known.length === 0) return [...entries];
    const rows: { consumer: string; event_id: string }[] = await tx.query(
      // in one order: two processes that meet the same events must not wait for each other crosswise
      `insert into inbox (consumer, event_id)
       select consumer, event_id from unnest($1::text[], $2::uuid[]) as known(consumer, event_id) order by 1, 2
       on conflict do nothing returning consumer, event_id`,
      [known.map(({ consumer }) => consumer?.name), known.map(({ eventId }) => eventId)],
    );
    const fresh = new Set(rows.map(({ consumer, event_id }) => `${consumer} ${event_id}`));
    return entries.filter(
      (entry) => !isMarked(entry) || fresh.delete(`${entry.consumer?.name} ${entry.eventId.toLowerCase()}`),
    );
  }

  /** Forgets what no bus can redeliver any more, until none is left, in pieces. @returns rows deleted */
  prune(dataSource: DataSource, older: OlderDays): Promise<number> {
    return deleteOlderDays(dataSource, { table: 'inbox', column: 'received_at' }, older);
  }
}
