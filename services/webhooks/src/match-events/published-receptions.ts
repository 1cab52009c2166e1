import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { Periodic } from '@postmesh/jobs';
import { LOOK_BACK_MS, type Reception } from './matching.rules.js';

const PRUNE_BATCH = 20_000;

/** Records the requested receptions, by message and webhook. */
@Injectable()
export class PublishedReceptions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Claims receptions. Two claims of the same one are serialised: the second waits for the first one's transaction, so
   * that its calls follow the reception.
   * @returns a function that returns true once per reception, when it is to be requested now
   */
  async claim(tx: EntityManager, receptions: readonly Reception[]): Promise<(one: Reception) => boolean> {
    if (receptions.length === 0) return () => false;
    // in the same order everywhere, so that two claims of the same receptions cannot deadlock
    const rows: { message_id: string; webhook_id: string }[] = await tx.query(
      `insert into published_receptions (message_id, webhook_id)
       select distinct * from unnest($1::uuid[], $2::uuid[]) order by 1, 2
       on conflict do nothing returning message_id, webhook_id`,
      [receptions.map((one) => one.messageId), receptions.map((one) => one.webhookId)],
    );
    const claimed = new Set(rows.map((row) => `${row.message_id} ${row.webhook_id}`));
    return ({ messageId, webhookId }) => claimed.delete(`${messageId} ${webhookId}`);
  }

  /** Deletes receptions older than the look-back of outcomes, in bounded batches. */
  @Periodic({ name: 'prune-published-receptions', everyMs: 300_000, timeoutMs: 300_000 })
  async prune(signal: AbortSignal): Promise<void> {
    const pruneBatch = async () => {
      const [, deleted]: [unknown, number] = await this.dataSource.query(
        `delete from published_receptions where ctid = any(array(
           select ctid from published_receptions
           where published_at < now() - $1 * interval '1 millisecond' limit ${PRUNE_BATCH}))`,
        [LOOK_BACK_MS * 2],
      );
      return deleted;
    };
    await inBatches(pruneBatch, { size: PRUNE_BATCH, signal });
  }
}
