import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, Transient, WebhookStopped, type Principal } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { SecretBox } from '@postmesh/secrets';
import { SEALED_ROUTE_URLS, storedUrl, wholeUrl } from '../database/target-url.js';
import { NEVER_FAILED } from '../count-calls/call-counters.rules.js';
import { RouteEntity } from '../database/route.entity.js';
import { OwnedDomains, PublicTarget } from '../manage-webhooks/webhook-checks.js';
import { changeRoute, type RouteChange } from './route-change.rules.js';
import { requireUse } from './route-scope.rules.js';
import { RouteErrors, type UpdateRouteBody } from './route.schema.js';
import { RoutesRepository } from './routes.repository.js';

// A route that several clients change at the same moment is looked at anew; more rounds are no accident.
const ROUNDS = 5;

export interface UpdateRouteCommand {
  principal: Principal;
  id: string;
  input: UpdateRouteBody;
}

/** `PUT …/routes/{id}` (spec 1-platform §13.2). */
@Injectable()
export class UpdateRoute {
  constructor(
    private readonly dataSource: DataSource,
    private readonly routes: RoutesRepository,
    private readonly owned: OwnedDomains,
    private readonly target: PublicTarget,
    private readonly outbox: Outbox,
    private readonly secrets: SecretBox,
  ) {}

  /** @throws ApiError 400, 403 or 404 */
  async execute({ principal, id, input }: UpdateRouteCommand): Promise<RouteEntity> {
    const { account_id: accountId } = principal;
    if (input.url) this.target.require(input.url);
    for (let round = 0; round < ROUNDS; round += 1) {
      const seen = await this.routes.find(this.dataSource.manager, accountId, id);
      if (!seen) throw ApiErrors.notFound('route');
      requireUse(principal, 'write', seen.recipient_domain);
      const change = changeRoute(this.withWholeUrl(seen), input);
      if (change.changesRecipient) requireUse(principal, 'write', change.fields.recipient_domain);
      const domainId = await this.domainId(seen, change);
      if (!change.changes) return seen;
      const row = await this.apply(seen, change, domainId);
      if (row) return row;
    }
    throw new Transient(`route ${id} is being changed by others`);
  }

  /**
   * An operator enables it.
   * @returns undefined when there is no such route
   * @throws ApiError 400 when the account no longer has its domain
   */
  async enableForOperator(id: string): Promise<RouteEntity | undefined> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const seen = await this.dataSource.manager.findOneBy(RouteEntity, { id });
      if (!seen || seen.enabled) return seen ?? undefined;
      const change = changeRoute(this.withWholeUrl(seen), { enabled: true });
      const row = await this.apply(seen, change, await this.domainId(seen, change));
      if (row) return row;
    }
    throw new Transient(`route ${id} is being changed by others`);
  }

  private withWholeUrl(seen: RouteEntity): RouteEntity {
    return { ...seen, url: wholeUrl(seen, SEALED_ROUTE_URLS.about(seen.id), this.secrets) };
  }

  /** @throws ApiError 400 when the account does not have the domain that the route is to take mail of */
  private async domainId(seen: RouteEntity, { fields, neededDomain }: RouteChange): Promise<string | null> {
    if (neededDomain === null) return fields.recipient_domain === null ? null : seen.recipient_domain_id;
    const id = (await this.owned.find(seen.account_id, [neededDomain])).get(neededDomain);
    if (id === undefined) throw RouteErrors.recipientDomainNotFound(neededDomain);
    return id;
  }

  /** @returns undefined when the route is no longer what the decision was made about */
  private apply(
    seen: RouteEntity,
    change: RouteChange,
    domainId: string | null,
  ): Promise<RouteEntity | undefined> {
    return this.dataSource.transaction(async (manager) => {
      const now = await this.routes.lock(manager, seen.account_id, seen.id);
      if (now?.revision !== seen.revision) return undefined;
      const changes = {
        ...change.fields,
        ...storedUrl(change.fields.url, SEALED_ROUTE_URLS.about(now.id), this.secrets),
        recipient_domain_id: domainId,
        ...(change.forgetsErrors ? NEVER_FAILED : {}),
        updated_at: new Date(),
        revision: now.revision + 1,
      };
      await manager.update(RouteEntity, { id: now.id }, changes);
      if (change.stops) {
        const stopped = { webhook_id: now.id, reason: 'disabled' as const };
        await this.outbox.add(manager, WebhookStopped.make(stopped, { account_id: now.account_id }));
      }
      return { ...now, ...changes };
    });
  }
}
