import { Injectable } from '@nestjs/common';
import { ApiErrors, type Principal } from '@postmesh/contracts';
import type { RouteEntity } from '../database/route.entity.js';
import { OwnedDomains, PublicTarget } from '../endpoints/endpoint-checks.js';
import { ROUTE } from '../endpoints/endpoint-kinds.js';
import { UpdateEndpoint, type ChangedFields } from '../endpoints/update-endpoint.js';
import { changeRoute, type RouteChange } from './route-change.rules.js';
import { requireUse } from './route-scope.rules.js';
import { RouteErrors, type UpdateRouteBody } from './route.schema.js';

export interface UpdateRouteCommand {
  principal: Principal;
  id: string;
  input: UpdateRouteBody;
}

/** `PUT …/routes/{id}` (spec 1-platform §13.2). */
@Injectable()
export class UpdateRoute {
  constructor(
    private readonly owned: OwnedDomains,
    private readonly target: PublicTarget,
    private readonly update: UpdateEndpoint,
  ) {}

  /** @throws ApiError 400, 403 or 404 */
  async execute({ principal, id, input }: UpdateRouteCommand): Promise<RouteEntity> {
    if (input.url) this.target.require(input.url);
    const row = await this.update.execute(ROUTE, { id, accountId: principal.account_id }, (seen) => {
      requireUse(principal, 'write', seen.recipient_domain);
      const change = changeRoute(seen, input);
      if (change.changesRecipient) requireUse(principal, 'write', change.fields.recipient_domain);
      return this.withDomainId(seen, change);
    });
    if (!row) throw ApiErrors.notFound('route');
    return row;
  }

  /**
   * Enables it for an operator.
   * @returns undefined when the route does not exist
   * @throws ApiError 400 when the account no longer has its domain
   */
  enableForOperator(id: string): Promise<RouteEntity | undefined> {
    return this.update.execute(ROUTE, { id, accountId: null }, (seen) =>
      seen.enabled ? undefined : this.withDomainId(seen, changeRoute(seen, { enabled: true })),
    );
  }

  /**
   * @returns undefined without a change
   * @throws ApiError 400 when the account does not have the recipient domain of the route
   */
  private async withDomainId(
    seen: RouteEntity,
    change: RouteChange,
  ): Promise<ChangedFields<RouteEntity> | undefined> {
    const recipient_domain_id = await this.domainId(seen, change);
    return change.changes ? { ...change.fields, recipient_domain_id } : undefined;
  }

  private async domainId(seen: RouteEntity, { fields, neededDomain }: RouteChange): Promise<string | null> {
    if (neededDomain === null) return fields.recipient_domain === null ? null : seen.recipient_domain_id;
    const id = (await this.owned.find(seen.account_id, [neededDomain])).get(neededDomain);
    if (id === undefined) throw RouteErrors.recipientDomainNotFound(neededDomain);
    return id;
  }
}
