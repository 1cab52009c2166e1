import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LOOK_BACK_MS } from './told-receptions.rules.js';

export interface Reception {
  messageId: string;
  webhookId: string;
}

const PRUNE_BATCH = 20_000;

/** Remembers which webhook was told of the reception of which message. */
@Injectable()
export class ToldReceptions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Claims the telling. Of two that claim the same reception, the second waits for the first one's transaction:
   * what it then queues comes after the reception.
   * @returns asks whether a reception is to be told now; true once per reception
   */
  async claim(
    manager: EntityManager,
    receptions: readonly Reception[],
  ): Promise<(one: Reception) => boolean> {
    if (receptions.length === 0) return () => false;
    // in one order everywhere, so that two claims of the same receptions do not block each other
    const rows: { message_id: string; webhook_id: string }[] = await manager.query(
      `insert into told_receptions (message_id, webhook_id)
       select distinct * from unnest($1::uuid[], $2::uuid[]) order by 1, 2
       on conflict do nothing returning message_id, webhook_id`,
      [receptions.map((one) => one.messageId), receptions.map((one) => one.webhookId)],
    );
    const claimed = new Set(
      rows.map((row) => nameOf({ messageId: row.message_id, webhookId: row.webhook_id })),
    );
    return (one) => claimed.delete(nameOf(one));
  }

  /**
   * Forgets what nobody looks back to. Bounded: one batch per call.
   * @returns whether another call would find more
   */
  async prune(): Promise<{ more: boolean }> {
    const [, count]: [unknown, number] = await this.dataSource.query(
      `delete from told_receptions where ctid = any(array(
         select ctid from told_receptions where told_at < now() - $1 * interval '1 millisecond' limit ${PRUNE_BATCH}))`,
      [LOOK_BACK_MS * 2],
    );
    return { more: count === PRUNE_BATCH };
  }
}

const nameOf = ({ messageId, webhookId }: Reception): string => `${messageId} ${webhookId}`;
