import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { Periodic } from '@postmesh/work';
import type { PlannedCall } from './matching.rules.js';

const PRUNE_BATCH = 20_000;
// The release before looks back for half as long.
const KEPT_HOURS = 12;

/**
 * The webhooks for which the reception of a message is requested already. The release before decision 108 requests a
 * reception in front of an outcome, unless it finds a row here; the next release deletes this class, and the one after
 * that the table.
 */
@Injectable()
export class PublishedReceptions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Claims the receptions among these calls. A concurrent claim of the same reception waits for the first transaction.
   * @returns the calls without receptions that are claimed already
   */
  async claim(tx: EntityManager, planned: readonly PlannedCall[]): Promise<readonly PlannedCall[]> {
    const receptions = planned.filter(isReception);
    if (receptions.length === 0) return planned;
    // in the same order everywhere, so that two claims of the same receptions cannot deadlock
    const rows: { message_id: string; webhook_id: string }[] = await tx.query(
      `insert into published_receptions (message_id, webhook_id)
       select distinct * from unnest($1::uuid[], $2::uuid[]) order by 1, 2
       on conflict do nothing returning message_id, webhook_id`,
      [receptions.map(({ event }) => event.messageId), receptions.map(({ listener }) => listener.id)],
    );
    const claimed = new Set(rows.map((row) => `${row.message_id} ${row.webhook_id}`));
    return planned.filter(
      (call) => !isReception(call) || claimed.delete(`${call.event.messageId} ${call.listener.id}`),
    );
  }

  @Periodic({ name: 'prune-published-receptions', everyMs: 300_000, timeoutMs: 300_000 })
  async prune(signal: AbortSignal): Promise<void> {
    const pruneBatch = async () => {
      const [, deleted]: [unknown, number] = await this.dataSource.query(
        `delete from published_receptions where ctid = any(array(
           select ctid from published_receptions
           where published_at < now() - make_interval(hours => $1) limit ${PRUNE_BATCH}))`,
        [KEPT_HOURS],
      );
      return deleted;
    };
    await inBatches(pruneBatch, { size: PRUNE_BATCH, signal });
  }
}

const isReception = ({ event }: PlannedCall): boolean =>
  event.flag === 'on_reception' && event.messageId !== undefined;
