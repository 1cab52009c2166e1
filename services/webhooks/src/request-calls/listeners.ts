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
  /** those of their domains that events name */
  domains: readonly string[];
  /** only webhooks after this id */
  after?: string | null;
  limit?: number;
}

/**
 * The webhooks of an account, including disabled ones, whose missed events can be recovered as long as ended deliveries
 * are kept (spec 2-messages §18 rule 8). There is no cache: one or two indexed queries per batch are cheap enough, and
 * exact in every process: a webhook created before an event is visible to every match of the event.
 */
@Injectable()
export class Listeners {
  private readonly isKept: boolean;

  constructor(@Inject(SETTINGS) { webhookReplayDays }: Settings) {
    this.isKept = webhookReplayDays > 0;
  }

  /** The number of webhooks per flag; accounts without a webhook are left out. */
  async standings(
    manager: EntityManager,
    accountIds: readonly string[],
  ): Promise<ReadonlyMap<string, Standing>> {
    if (accountIds.length === 0) return new Map();
    const rows: Standing[] = await manager.query(STANDINGS, [accountIds, this.isKept]);
    return new Map(rows.map((row) => [row.account_id, row]));
  }

  /**
   * Webhooks in the order of their ids, locked against being enabled, disabled or deleted until the transaction ends:
   * calls are requested before a webhook is stopped, or as missed (spec 2-messages §18.8). Counters can still change.
   */
  lock(manager: EntityManager, query: ListenersQuery): Promise<Listener[]> {
    return manager.query(
      `select id, account_id, created_at, url, enabled, scope, events, dialect,
         array(select domain from unnest(domains) as covered(domain) where domain = any($2::text[])) as domains
       from webhooks
       where account_id = any($1::uuid[]) and (enabled or $5) and events && $6::text[] and ($3::uuid is null or id > $3)
       order by id limit $4 for key share`,
      [query.accountIds, query.domains, query.after ?? null, query.limit ?? null, this.isKept, query.flags],
    );
  }
}
