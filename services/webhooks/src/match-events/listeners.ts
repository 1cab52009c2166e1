import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EVENT_FLAGS } from '../webhook-events/webhook-events.table.js';
import type { Listener } from './matching.rules.js';

const LOCK = `select id, account_id, updated_at, url, scope, domains, ${EVENT_FLAGS.join(', ')}
  from webhooks where account_id = any($1::uuid[]) and enabled order by id for key share`;

/**
 * The enabled webhooks of an account. Nothing is cached: one indexed query per batch is cheap enough, and it is
 * exact in every process: a webhook that was made before an event is seen by whoever matches the event.
 */
@Injectable()
export class Listeners {
  /**
   * The enabled webhooks of the accounts, held against being disabled or deleted until the transaction ends:
   * calls are requested before a webhook is stopped, or not at all (spec 2-messages §18.8). Counters still move.
   */
  async lock(
    manager: EntityManager,
    accountIds: readonly string[],
  ): Promise<ReadonlyMap<string, Listener[]>> {
    const rows: Listener[] = await manager.query(LOCK, [accountIds]);
    const byAccount = new Map<string, Listener[]>();
    for (const row of rows) byAccount.set(row.account_id, [...(byAccount.get(row.account_id) ?? []), row]);
    return byAccount;
  }
}
