import { Injectable } from '@nestjs/common';
import { ApiError, ApiErrors, type AccountId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { EndpointStandings, type EndpointStanding } from '@postmesh/webhooks-contract';

/** Whether a webhook or a route belongs to an account: the webhooks service knows. */
@Injectable()
export class OwnedEndpoints {
  constructor(private readonly client: InternalClient) {}

  /** @throws ApiError 404 for an endpoint of another account; Transient while the webhooks service is away */
  async require(accountId: AccountId, endpointId: string): Promise<EndpointStanding> {
    const body = { account_id: accountId, endpoint_id: endpointId };
    const request = { method: 'POST' as const, path: '/internal/endpoint-standings', body };
    const found = await this.client.request('webhooks', request, EndpointStandings);
    const endpoint = found?.endpoints.find(({ endpoint_id }) => endpoint_id === endpointId);
    if (endpoint?.account_id !== accountId) throw ApiErrors.notFound('webhook or route');
    return endpoint;
  }

  /** @throws ApiError 409 while it is disabled, and as `require` */
  async requireEnabled(accountId: AccountId, endpointId: string): Promise<void> {
    const { target, state } = await this.require(accountId, endpointId);
    if (state === 'disabled') throw DISABLED(target);
  }
}

/** The text of a recovery (spec 2-messages §18 rule 13). */
export const DISABLED = (target: string) => new ApiError(409, `${target} is disabled`);
