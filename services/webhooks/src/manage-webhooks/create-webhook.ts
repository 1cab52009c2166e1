import { Injectable } from '@nestjs/common';
import { ApiErrors, mayCover, type Principal } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { NO_DIALECT, type WebhookEntity } from '../database/webhook.entity.js';
import { CreateEndpoint, type CreatedEndpoint } from '../endpoints/create-endpoint.js';
import { OwnedDomains, PublicTarget } from '../endpoints/endpoint-checks.js';
import { WEBHOOK } from '../endpoints/endpoint-kinds.js';
import type { CreateBody } from './webhook.schema.js';
import { newWebhook } from './webhook-change.rules.js';

export interface CreateWebhookCommand {
  principal: Principal;
  input: CreateBody;
}

export type CreatedWebhook = CreatedEndpoint<WebhookEntity>;

/** `POST …/webhooks` (spec 2-messages §17). */
@Injectable()
export class CreateWebhook {
  constructor(
    private readonly owned: OwnedDomains,
    private readonly target: PublicTarget,
    private readonly creation: CreateEndpoint,
  ) {}

  /** @throws ApiError 400, 401 or 403 */
  async execute(
    { principal, input }: CreateWebhookCommand,
    remember: Remember<CreatedWebhook> = forgetResult,
  ): Promise<CreatedWebhook> {
    const { account_id: accountId } = principal;
    const fields = newWebhook(input);
    this.target.require(fields.url);
    if (!mayCover(principal, 'webhooks:write', fields)) {
      throw ApiErrors.missingDomainScope('webhooks:write', fields.domains);
    }
    await this.owned.require(accountId, fields.domains);
    return this.creation.execute(WEBHOOK, { accountId, fields: { ...fields, ...NO_DIALECT } }, remember);
  }
}
