import { Injectable } from '@nestjs/common';
import { ApiErrors, mayCover, type Principal } from '@postmesh/contracts';
import type { WebhookEntity } from '../database/webhook.entity.js';
import { OwnedDomains, PublicTarget } from '../endpoints/endpoint-checks.js';
import { requireScope, WEBHOOK } from '../endpoints/endpoint-kinds.js';
import { UpdateEndpoint } from '../endpoints/update-endpoint.js';
import type { UpdateBody } from './webhook.schema.js';
import { changeWebhook, type WebhookChange } from './webhook-change.rules.js';

export interface UpdateWebhookCommand {
  principal: Principal;
  id: string;
  input: UpdateBody;
}

/** `PUT …/webhooks/{id}` (spec 2-messages §17). */
@Injectable()
export class UpdateWebhook {
  constructor(
    private readonly owned: OwnedDomains,
    private readonly target: PublicTarget,
    private readonly update: UpdateEndpoint,
  ) {}

  /** @throws ApiError 400, 403 or 404 */
  async execute({ principal, id, input }: UpdateWebhookCommand): Promise<WebhookEntity> {
    const { account_id: accountId } = principal;
    if (input.url) this.target.require(input.url);
    const row = await this.update.execute(WEBHOOK, { id, accountId }, async (seen) => {
      const change = decide(principal, seen, input);
      await this.owned.require(accountId, change.namedDomains);
      return change.fields;
    });
    if (!row) throw ApiErrors.notFound('webhook');
    return row;
  }

  /**
   * Enables it for an operator.
   * @returns undefined when the webhook does not exist
   */
  enableForOperator(id: string): Promise<WebhookEntity | undefined> {
    return this.update.execute(WEBHOOK, { id, accountId: null }, (seen) =>
      seen.enabled ? undefined : changeWebhook(seen, { enabled: true }).fields,
    );
  }
}

/** @throws ApiError 400 or 403 (the rules of PUT) */
function decide(principal: Principal, seen: WebhookEntity, body: UpdateBody): WebhookChange {
  requireScope(WEBHOOK, principal, { action: 'write', domains: seen.domains });
  const change = changeWebhook(seen, body);
  const target = { scope: change.fields.scope, domains: change.newDomains };
  if (
    (change.turnsGlobal || change.newDomains.length > 0) &&
    !mayCover(principal, 'webhooks:write', target)
  ) {
    throw ApiErrors.missingDomainScope('webhooks:write', change.newDomains);
  }
  return change;
}
