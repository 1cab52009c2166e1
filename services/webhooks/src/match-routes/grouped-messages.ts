import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/jobs';

/** For how long a message is known by its Message-ID (spec 1-platform §13.4 rule 4). */
const WINDOW = `interval '24 hours'`;

export interface GroupedMessage {
  routeId: string;
  /** of `groupingKey` */
  key: string;
}

const PRUNE_BATCH = 20_000;

/** Remembers for which message a grouping route was called. */
@Injectable()
export class GroupedMessages {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Claims messages. Of two that claim the same one, in whatever process, the second waits for the first one's
   * transaction and gets it only when that fails.
   * @returns asks whether a route is to be called for a message now; true once per message
   */
  async claim(
    tx: EntityManager,
    messages: readonly GroupedMessage[],
  ): Promise<(one: GroupedMessage) => boolean> {
    if (messages.length === 0) return () => false;
    // in one order everywhere, so that two claims of the same messages do not block each other
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

  /** Forgets messages whose time is over, in bounded batches. */
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
