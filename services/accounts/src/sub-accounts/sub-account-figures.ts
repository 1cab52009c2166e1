import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { DomainCounts, DomainCountsRequest } from '@postmesh/domains-contract';
import { Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { FiguresForOlderGateways } from './figures-for-older-gateways.js';
import type { SubAccount, SubAccountFigures } from './sub-account.schema.js';

/** Reads figures of children from other services. */
@Injectable()
export class FindSubAccountFigures {
  constructor(
    private readonly client: InternalClient,
    private readonly older: FiguresForOlderGateways,
  ) {}

  /**
   * One call to each service for a whole page. To be called outside a transaction and before a change: a request
   * whose response cannot be complete should have no effect.
   * @param later the gateway fills in the activity
   * @throws Transient when one of them cannot be reached, since a zero would be wrong
   */
  async execute(
    children: readonly SubAccount[],
    { later }: { later: boolean },
  ): Promise<(child: SubAccount) => SubAccountFigures> {
    const ids = children.map(({ account }) => account.id);
    const isAsked = ids.length > 0;
    const [counts, activity] = await Promise.all([
      isAsked ? this.domainCounts(ids) : new Map<string, number>(),
      isAsked && !later ? this.older.lastActivity(ids) : new Map<string, string>(),
    ]);
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
}
