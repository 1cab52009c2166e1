import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { Activity, ActivityRequest, DomainCounts, DomainCountsRequest, Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';
import type { SubAccount, SubAccountFigures } from './sub-account.schema.js';

/** Reads figures of children from the domains and the messages service. */
@Injectable()
export class FindSubAccountFigures {
  constructor(private readonly client: InternalClient) {}

  /**
   * Calls each service once, for a whole page. To be called outside a transaction and before a change: a request
   * whose response cannot be complete should have no effect.
   * @throws Transient when one of them cannot be reached, since a zero would be wrong
   */
  async execute(children: readonly SubAccount[]): Promise<(child: SubAccount) => SubAccountFigures> {
    const ids = children.map(({ account }) => account.id);
    const [counts, activity] =
      ids.length === 0
        ? [new Map<string, number>(), new Map<string, string>()]
        : await Promise.all([this.domainCounts(ids), this.lastActivity(ids)]);
    // accounts without domains or messages are left out of the responses
    return ({ account: { id } }) => ({
      domainCount: counts.get(id) ?? 0,
      lastActivityAt: activity.get(id) ?? null,
    });
  }

  private async domainCounts(accountIds: string[]): Promise<Map<string, number>> {
    const body: z.infer<typeof DomainCountsRequest> = { account_ids: accountIds };
    const path = '/internal/domains/counts';
    const response = await this.client.request('domains', { method: 'POST', path, body }, DomainCounts);
    if (!response) throw new Transient('domains does not know how to count domains');
    return new Map(response.counts.map((one) => [one.account_id, one.domain_count]));
  }

  private async lastActivity(accountIds: string[]): Promise<Map<string, string>> {
    const body: z.infer<typeof ActivityRequest> = { account_ids: accountIds };
    const path = '/internal/accounts/activity';
    const response = await this.client.request('messages', { method: 'POST', path, body }, Activity);
    if (!response) throw new Transient('messages does not know of activity');
    return new Map(response.activity.map((one) => [one.account_id, one.last_accepted_at]));
  }
}
