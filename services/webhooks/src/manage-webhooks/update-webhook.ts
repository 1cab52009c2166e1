import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  apiResponse,
  parseBody,
  ApiErrors,
  Transient,
  WebhookStopped,
  type ApiResponse,
  type Principal,
} from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import type { ApiCall } from '@postmesh/service-host';
import { WebhookEntity } from '../database/entities/index.js';
import { OwnedDomains } from './owned-domains.js';
import { PublicTarget } from './public-target.js';
import { READ_ONLY_FIELDS, UpdateBody } from './webhook-body.js';
import { changeWebhook, type WebhookChange } from './webhook-change.rules.js';
import { mayCover, mayTouch } from './webhook-scope.rules.js';
import { webhookResource } from './webhook.resource.js';
import { WebhooksRepository } from './webhooks.repository.js';

// A webhook that several clients change at the same moment is looked at anew; more rounds are no accident.
const ROUNDS = 5;

/** `PUT …/webhooks/{id}` (spec 2-messages §17). */
@Injectable()
export class UpdateWebhook {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhooksRepository,
    private readonly owned: OwnedDomains,
    private readonly target: PublicTarget,
    private readonly outbox: Outbox,
  ) {}

  async execute(call: ApiCall): Promise<ApiResponse> {
    const id = call.uuidParam('webhook_id');
    const body = parseBody(UpdateBody, call.body(), { readOnly: READ_ONLY_FIELDS });
    if (body.url) this.target.require(body.url);
    for (let round = 0; round < ROUNDS; round += 1) {
      const seen = await this.webhooks.find(this.dataSource.manager, call.accountId, id);
      if (!seen) throw ApiErrors.notFound('webhook');
      const change = decide(call.principal, seen, body);
      await this.owned.require(call.accountId, change.namedDomains);
      const row = await this.apply(seen, change);
      if (row) return apiResponse(200, webhookResource(row));
    }
    throw new Transient(`webhook ${id} is being changed by others`);
  }

  /** @returns undefined when the webhook is no longer what the decision was made about */
  private apply(seen: WebhookEntity, change: WebhookChange): Promise<WebhookEntity | undefined> {
    return this.dataSource.transaction(async (manager) => {
      const now = await this.webhooks.hold(manager, seen.account_id, seen.id);
      if (now?.revision !== seen.revision) return undefined;
      const changes = {
        ...change.fields,
        ...(change.forgetsErrors ? { errors_since_last_success: 0 } : {}),
        updated_at: new Date(),
        revision: now.revision + 1,
      };
      await manager.update(WebhookEntity, { id: now.id }, changes);
      if (change.stops) {
        const stopped = { webhook_id: now.id, reason: 'disabled' as const };
        await this.outbox.add(manager, WebhookStopped.make(stopped, { account_id: now.account_id }));
      }
      return { ...now, ...changes };
    });
  }
}

/** @throws ApiError 400 or 403 (the rules of PUT) */
function decide(principal: Principal, seen: WebhookEntity, body: UpdateBody): WebhookChange {
  if (!mayTouch(principal, 'webhooks:write', seen.domains)) refuse();
  const change = changeWebhook(seen, body);
  const target = { scope: change.fields.scope, domains: change.newDomains };
  if (
    (change.turnsGlobal || change.newDomains.length > 0) &&
    !mayCover(principal, 'webhooks:write', target)
  ) {
    refuse();
  }
  return change;
}

function refuse(): never {
  throw ApiErrors.missingDomainScope('write', 'webhooks');
}
