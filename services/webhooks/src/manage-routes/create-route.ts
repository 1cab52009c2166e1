import { Injectable } from '@nestjs/common';
import type { Principal } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import type { RouteEntity } from '../database/route.entity.js';
import { CreateEndpoint, type CreatedEndpoint } from '../endpoints/create-endpoint.js';
import { OwnedDomains, PublicTarget } from '../endpoints/endpoint-checks.js';
import { ROUTE } from '../endpoints/endpoint-kinds.js';
import { newRoute } from './route-change.rules.js';
import { requireUse } from './route-scope.rules.js';
import { RouteErrors, type CreateRouteBody } from './route.schema.js';

export interface CreateRouteCommand {
  principal: Principal;
  input: CreateRouteBody;
}

export type CreatedRoute = CreatedEndpoint<RouteEntity>;

/** `POST …/routes` (spec 1-platform §13.2). */
@Injectable()
export class CreateRoute {
  constructor(
    private readonly owned: OwnedDomains,
    private readonly target: PublicTarget,
    private readonly creation: CreateEndpoint,
  ) {}

  /** @throws ApiError 400, 401 or 403 */
  async execute(
    { principal, input }: CreateRouteCommand,
    remember: Remember<CreatedRoute> = forgetResult,
  ): Promise<CreatedRoute> {
    const { account_id: accountId } = principal;
    this.target.require(input.url);
    const fields = newRoute(input);
    requireUse(principal, 'write', fields.recipient_domain);
    const recipient_domain_id = await this.domainId(accountId, fields.recipient_domain);
    return this.creation.execute(ROUTE, { accountId, fields: { ...fields, recipient_domain_id } }, remember);
  }

  /** @throws ApiError 400 when the account does not have it */
  private async domainId(accountId: string, domain: string | null): Promise<string | null> {
    if (domain === null) return null;
    const id = (await this.owned.find(accountId, [domain])).get(domain);
    if (id === undefined) throw RouteErrors.recipientDomainNotFound(domain);
    return id;
  }
}
