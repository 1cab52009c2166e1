import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newId, type Principal } from '@postmesh/contracts';
import { randomText, SecretBox } from '@postmesh/secrets';
import { forgetResult, SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { NEVER_FAILED } from '../count-calls/call-counters.rules.js';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { SEALED_ROUTE_URLS, storedUrl } from '../database/target-url.js';
import { RouteEntity, SEALED_ROUTE_SECRETS } from '../database/route.entity.js';
import { OwnedDomains, PublicTarget } from '../manage-webhooks/webhook-checks.js';
import { newRoute, type RouteFields } from './route-change.rules.js';
import { requireUse } from './route-scope.rules.js';
import { RouteErrors, type CreateRouteBody } from './route.schema.js';
import { RoutesRepository } from './routes.repository.js';

const SECRET_LENGTH = 32;

export interface CreateRouteCommand {
  principal: Principal;
  input: CreateRouteBody;
}

export interface CreatedRoute {
  route: RouteEntity;
  /** signs every call; shown this once */
  secret: string;
}

/** `POST …/routes` (spec 1-platform §13.2). */
@Injectable()
export class CreateRoute {
  constructor(
    private readonly dataSource: DataSource,
    private readonly routes: RoutesRepository,
    private readonly owned: OwnedDomains,
    private readonly target: PublicTarget,
    private readonly secrets: SecretBox,
    @Inject(SETTINGS) private readonly settings: Settings,
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
    const domainId = await this.domainId(accountId, fields.recipient_domain);
    const secret = `${this.settings.keyPrefix}-rsec-${randomText(SECRET_LENGTH)}`;
    const created = {
      route: this.row(accountId, { ...fields, recipient_domain_id: domainId }, secret),
      secret,
    };
    await this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const count = await this.routes.countForCreate(tx, accountId);
      if (count >= this.settings.routeLimit) throw RouteErrors.limitReached();
      await tx.insert(RouteEntity, created.route);
      await remember(tx, created);
    });
    return created;
  }

  /** @throws ApiError 400 when the account does not have it */
  private async domainId(accountId: string, domain: string | null): Promise<string | null> {
    if (domain === null) return null;
    const id = (await this.owned.find(accountId, [domain])).get(domain);
    if (id === undefined) throw RouteErrors.recipientDomainNotFound(domain);
    return id;
  }

  private row(
    accountId: string,
    fields: RouteFields & Pick<RouteEntity, 'recipient_domain_id'>,
    secret: string,
  ): RouteEntity {
    const id = newId();
    const now = new Date();
    return {
      id,
      account_id: accountId,
      created_at: now,
      updated_at: now,
      revision: 1,
      sealed_secret: this.secrets.seal(secret, SEALED_ROUTE_SECRETS.about(id)),
      ...fields,
      ...storedUrl(fields.url, SEALED_ROUTE_URLS.about(id), this.secrets),
      success_count: '0',
      error_count: '0',
      ...NEVER_FAILED,
      last_request_at: null,
    };
  }
}
