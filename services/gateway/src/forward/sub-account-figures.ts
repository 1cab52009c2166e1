import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AccountId, Transient, type OperationId, type Principal } from '@postmesh/contracts';
import { Activity } from '@postmesh/messages-contract';
import { KnownSubAccount } from '@postmesh/accounts-contract';
import { InternalClient } from '@postmesh/http';
import { withFamilyUsage } from '../operator/family-usage.js';

/** An operation to which the gateway adds what another service knows. */
export interface Composed {
  /** of the request */
  readonly principal: Principal;
  /** makes the body of a response with status 200 complete */
  readonly complete?: (body: Buffer) => Promise<Buffer>;
}

const Child = z.object({ id: z.uuid() });
const ChildPage = z.object({ data: z.array(Child) });

const UNPAUSE: OperationId = 'sub-accounts.unpause-domain';

const WITH_FIGURES: ReadonlySet<OperationId> = new Set([
  'sub-accounts.list',
  'sub-accounts.usage',
  'sub-accounts.get',
  'sub-accounts.update',
  'sub-accounts.suspend',
  'sub-accounts.unsuspend',
]);

export const isComposed = (operation: OperationId): boolean =>
  WITH_FIGURES.has(operation) || operation === UNPAUSE;

/**
 * Operations on sub-accounts need facts of two services, neither of which asks the other: the gateway composes them
 * (decision 109). None of them honours an idempotency key.
 */
@Injectable()
export class SubAccountFigures {
  constructor(private readonly client: InternalClient) {}

  /**
   * Reads the figures of one child before its request is forwarded: a request whose response cannot be complete should
   * have no effect.
   * @throws Transient when a service cannot be reached
   */
  async compose(
    operation: OperationId,
    params: Readonly<Record<string, string>>,
    principal: Principal,
  ): Promise<Composed> {
    if (operation === 'sub-accounts.usage')
      return { principal, complete: ofJson((report) => withFamilyUsage(this.client, report)) };
    if (operation === 'sub-accounts.list')
      return { principal, complete: ofJson((page) => this.completePage(page)) };
    const id = AccountId.safeParse(params['sub_account_id']).data;
    // no id: the service refuses it
    if (id === undefined) return { principal };
    if (operation === UNPAUSE) return { principal: await this.withChild(principal, id) };
    const activity = await this.activityOf([id]);
    return { principal, complete: ofJson(async (child) => withActivity(child, activity)) };
  }

  private async withChild(principal: Principal, child: AccountId): Promise<Principal> {
    const path = `/internal/accounts/${principal.account_id}/sub-accounts/${child}`;
    const known = await this.client.request('accounts', { method: 'GET', path }, KnownSubAccount);
    return { ...principal, sub_account_id: known ? child : null };
  }

  private async completePage(page: unknown): Promise<object> {
    const { data } = ChildPage.parse(page);
    const activity = await this.activityOf(data.map(({ id }) => id));
    const children = (page as { data: unknown[] }).data.map((child) => withActivity(child, activity));
    return { ...(page as object), data: children };
  }

  /** @returns the time of the last accepted message, by account. @throws Transient */
  private async activityOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const request = {
      method: 'POST' as const,
      path: '/internal/accounts/activity',
      body: { account_ids: ids },
    };
    const found = await this.client.request('messages', request, Activity);
    if (!found) throw new Transient('messages does not know of activity');
    return new Map(found.activity.map((one) => [one.account_id, one.last_accepted_at]));
  }
}

const ofJson =
  (complete: (body: unknown) => Promise<unknown>) =>
  async (body: Buffer): Promise<Buffer> =>
    Buffer.from(JSON.stringify(await complete(JSON.parse(body.toString()))));

/** The fields keep their order. */
const withActivity = (child: unknown, activity: ReadonlyMap<string, string>): object => ({
  ...(child as object),
  last_activity_at: activity.get(Child.parse(child).id) ?? null,
});
