import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RouteEntity } from '../database/route.entity.js';

/** The fields of an enabled route for matching and calling. */
export type EnabledRoute = Pick<
  RouteEntity,
  'id' | 'account_id' | 'url' | 'recipient' | 'group_by_message_id'
>;

/** The pattern that an RCPT is compared with. */
export type EnabledPattern = Pick<RouteEntity, 'account_id' | 'recipient'>;

/** The enabled routes of accounts, without a cache: a route takes mail from the response to its create on. */
@Injectable()
export class EnabledRoutes {
  /**
   * Locked against being disabled or deleted until the transaction ends: calls are requested before a route is stopped,
   * or not at all. Counters can still change.
   */
  async lock(
    manager: EntityManager,
    accountIds: readonly string[],
  ): Promise<ReadonlyMap<string, EnabledRoute[]>> {
    const rows: EnabledRoute[] = await manager.query(
      `select id, account_id, url, recipient, group_by_message_id
       from routes where account_id = any($1::uuid[]) and enabled order by id for key share`,
      [accountIds],
    );
    const byAccount = new Map<string, EnabledRoute[]>(rows.map(({ account_id }) => [account_id, []]));
    for (const row of rows) byAccount.get(row.account_id)?.push(row);
    return byAccount;
  }

  /** The distinct patterns that may match an address at one of the domains. */
  patterns(
    manager: EntityManager,
    accountIds: readonly string[],
    domains: readonly string[],
  ): Promise<EnabledPattern[]> {
    return manager.query(
      `select distinct account_id, recipient from routes
       where account_id = any($1::uuid[]) and enabled
         and (recipient_domain is null or recipient_domain = any($2::text[]))`,
      [accountIds, domains],
    );
  }
}
