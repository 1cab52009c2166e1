import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { EVENT_FLAGS, type EventFlag } from '../webhook-events/webhook-events.table.js';
import type { Listener, Standing } from './matching.rules.js';

const STANDINGS = `select account_id,
    ${EVENT_FLAGS.map((flag) => `count(*) filter (where '${flag}' = any(events))::int as ${flag}`).join(', ')},
    exists (select from fan_outs where fan_outs.account_id = webhooks.account_id) as behind
  from webhooks where account_id = any($1::uuid[]) and (enabled or $2) group by account_id`;

export interface ListenersQuery {
  accountIds: readonly string[];
  /** webhooks with one of these flags */
  flags: readonly EventFlag[];
  /** of their domains, these are named */
  domains: readonly string[];
  /** only webhooks behind this id */
  after?: string | null;
  limit?: number;
}

/**
 * The webhooks of an account; disabled ones, too, as what they miss can be recovered for as long as ended deliveries are kept
 * (spec 2-messages §18 rule 8). Nothing is cached: an indexed query or two per batch are cheap enough, and they
 * are exact in every process: a webhook that was made before an event is seen by whoever matches the event.
 */
@Injectable()
export class Listeners {
  private readonly isKept: boolean;

  constructor(@Inject(SETTINGS) { webhookReplayDays }: Settings) {
    this.isKept = webhookReplayDays > 0;
  }

  /** How many webhooks want what; accounts without one are left out. */
  async standings(
    manager: EntityManager,
    accountIds: readonly string[],
  ): Promise<ReadonlyMap<string, Standing>> {
    if (accountIds.length === 0) return new Map();
    const rows: Standing[] = await manager.query(STANDINGS, [accountIds, this.isKept]);
    return new Map(rows.map((row) => [row.account_id, row]));
  }

  /**
   * Webhooks in the order of their ids, held against being enabled, disabled or deleted until the transaction ends:
   * calls are requested before a webhook is stopped, or as missed (spec 2-messages §18.8). Counters still move.
   */
  lock(manager: EntityManager, query: ListenersQuery): Promise<Listener[]> {
    return manager.query(
      `select id, account_id, created_at, updated_at, url, enabled, scope, events,
         array(select domain from unnest(domains) as covered(domain) where domain = any($2::text[])) as domains
       from webhooks
       where account_id = any($1::uuid[]) and (enabled or $5) and events && $6::text[] and ($3::uuid is null or id > $3)
       order by id limit $4 for key share`,
      [query.accountIds, query.domains, query.after ?? null, query.limit ?? null, this.isKept, query.flags],
    );
  }
}
