import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, newId, parseBody, ApiErrors, type ApiResponse } from '@postmesh/contracts';
import { randomText, SecretBox } from '@postmesh/secrets';
import { SETTINGS, type ApiCall } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { WebhookEntity } from '../database/entities/index.js';
import { requirePresent } from '../delete-with-account/account-end.js';
import { OwnedDomains } from './owned-domains.js';
import { PublicTarget } from './public-target.js';
import { CreateBody, READ_ONLY_FIELDS } from './webhook-body.js';
import { newWebhook, type WebhookFields } from './webhook-change.rules.js';
import { mayCover } from './webhook-scope.rules.js';
import { webhookResource, type NewWebhookResource } from './webhook.resource.js';

const SECRET_LENGTH = 64;

/** `POST …/webhooks` (spec 2-messages §17): the only answer that shows the signing secret. */
@Injectable()
export class CreateWebhook {
  constructor(
    private readonly dataSource: DataSource,
    private readonly owned: OwnedDomains,
    private readonly target: PublicTarget,
    private readonly secrets: SecretBox,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async execute(call: ApiCall): Promise<ApiResponse> {
    const body = parseBody(CreateBody, call.body(), { readOnly: READ_ONLY_FIELDS });
    const fields = newWebhook(body);
    this.target.require(fields.url);
    if (!mayCover(call.principal, 'webhooks:write', fields)) {
      throw ApiErrors.missingDomainScope('write', 'webhooks');
    }
    await this.owned.require(call.accountId, fields.domains);
    return this.store(call, fields);
  }

  private store(call: ApiCall, fields: WebhookFields): Promise<ApiResponse> {
    const secret = `${this.settings.keyPrefix}-whsec-${randomText(SECRET_LENGTH)}`;
    const row = this.row(call.accountId, fields, secret);
    const shown: NewWebhookResource = { ...webhookResource(row), secret };
    const given = apiResponse(201, shown, { secret: true });
    return this.dataSource.transaction(async (manager) => {
      await requirePresent(manager, call.accountId);
      await manager.insert(WebhookEntity, row);
      await call.remember(manager, given);
      return given;
    });
  }

  private row(accountId: string, fields: WebhookFields, secret: string): WebhookEntity {
    const id = newId();
    const now = new Date();
    return {
      id,
      account_id: accountId,
      created_at: now,
      updated_at: now,
      revision: 1,
      sealed_secret: this.secrets.seal(secret, `webhook/${id}`),
      ...fields,
      success_count: '0',
      error_count: '0',
      errors_since_last_success: 0,
      last_request_at: null,
    };
  }
}
