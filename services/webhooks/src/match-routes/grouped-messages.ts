import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';

/** The time for which a message is recognised by its Message-ID (spec 1-platform §13.4 rule 4). */
const WINDOW = `interval '24 hours'`;

export interface GroupedMessage {
  routeId: string;
  /** of `groupingKey` */
  key: string;
}

const PRUNE_BATCH = 20_000;

/** Records the messages for which a grouping route was called. */
@Injectable()
export class GroupedMessages {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Claims messages. Two claims of the same one, in any process, are serialised: the second waits for the first one's
   * transaction and gets the message only when that fails.
   * @returns a function that returns true once per message, when the route is to be called now
   */
  async claim(
    tx: EntityManager,
    messages: readonly GroupedMessage[],
  ): Promise<(one: GroupedMessage) => boolean> {
    if (messages.length === 0) return () => false;
    // in the same order everywhere, so that two claims of the same messages cannot deadlock
    const rows: { route_id: string; message_key: string }[] = await tx.query(
      `insert into grouped_messages as known (route_id, message_key)
       select distinct * from unnest($1::uuid[], $2::text[]) order by 1, 2
       on conflict (route_id, message_key) do update set called_at = now()
         where known.called_at < now() - ${WINDOW}
       returning route_id, message_key`,
      [messages.map(({ routeId }) => routeId), messages.map(({ key }) => key)],
    );
    const claimed = new Set(rows.map((row) => `${row.route_id} ${row.message_key}`));
    return ({ routeId, key }) => claimed.delete(`${routeId} ${key}`);
  }

  /** Deletes messages after their window, in bounded batches. */
  @Periodic({ name: 'prune-grouped-messages', everyMs: 300_000, timeoutMs: 300_000 })
  async prune(signal: AbortSignal): Promise<void> {
    const pruneBatch = () =>
      changedRows(
        this.dataSource,
        `delete from grouped_messages where ctid = any(array(
           select ctid from grouped_messages where called_at < now() - ${WINDOW} limit ${PRUNE_BATCH}))`,
      );
    await inBatches(pruneBatch, { size: PRUNE_BATCH, signal });
  }
}
