import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { Activity, ActivityRequest, FamilyUsage } from '@postmesh/messages-contract';
import { Transient, type AccountId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';

/**
 * Reads figures of sub-accounts from the messages service for requests through a gateway of the release before; a gateway
 * of this release reads them itself. Goes with the next release (decision 109).
 */
@Injectable()
export class FiguresForOlderGateways {
  constructor(private readonly client: InternalClient) {}

  /** @returns the time of the last accepted message, by account. @throws Transient when messages cannot be reached */
  async lastActivity(accountIds: string[]): Promise<Map<string, string>> {
    const body: z.infer<typeof ActivityRequest> = { account_ids: accountIds };
    const path = '/internal/accounts/activity';
    const response = await this.client.request('messages', { method: 'POST', path, body }, Activity);
    if (!response) throw new Transient('messages does not know of activity');
    return new Map(response.activity.map((one) => [one.account_id, one.last_accepted_at]));
  }

  /** @returns accepted messages by account. @throws Transient when messages cannot be reached */
  async usage(parentId: AccountId, month: string): Promise<Map<string, number>> {
    const path = `/internal/accounts/${parentId}/usage?period=${month}`;
    const response = await this.client.request('messages', { method: 'GET', path }, FamilyUsage);
    if (!response) throw new Transient('messages does not know of usage');
    return new Map(response.usage.map((one) => [one.account_id, one.reception_count]));
  }
}
