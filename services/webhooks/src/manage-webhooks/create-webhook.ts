import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, mayCover, newId, type Principal } from '@postmesh/contracts';
import { randomText, SecretBox } from '@postmesh/secrets';
import { forgetResult, SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { SEALED_WEBHOOK_URLS, storedUrl } from '../database/target-url.js';
import { SEALED_WEBHOOK_SECRETS, WebhookEntity } from '../database/webhook.entity.js';
import { NEVER_FAILED } from '../count-calls/call-counters.rules.js';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { OwnedDomains, PublicTarget } from './webhook-checks.js';
import { WebhookErrors, type CreateBody } from './webhook.schema.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { newWebhook, type WebhookFields } from './webhook-change.rules.js';

const SECRET_LENGTH = 64;

export interface CreateWebhookCommand {
  principal: Principal;
  input: CreateBody;
}

export interface CreatedWebhook {
  webhook: WebhookEntity;
  /** signs every call; shown this once */
  secret: string;
}

/** `POST …/webhooks` (spec 2-messages §17). */
@Injectable()
export class CreateWebhook {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhooksRepository,
    private readonly owned: OwnedDomains,
    private readonly target: PublicTarget,
    private readonly secrets: SecretBox,
    @Inject(SETTINGS) private readonly settings: Settings,
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
    const secret = `${this.settings.keyPrefix}-whsec-${randomText(SECRET_LENGTH)}`;
    const created = { webhook: this.row(accountId, fields, secret), secret };
    await this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const count = await this.webhooks.countForCreate(tx, accountId);
      if (count >= this.settings.webhookLimit) throw WebhookErrors.limitReached();
      await tx.insert(WebhookEntity, created.webhook);
      await remember(tx, created);
    });
    return created;
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
      sealed_secret: this.secrets.seal(secret, SEALED_WEBHOOK_SECRETS.about(id)),
      ...fields,
      ...storedUrl(fields.url, SEALED_WEBHOOK_URLS.about(id), this.secrets),
      success_count: '0',
      error_count: '0',
      ...NEVER_FAILED,
      last_request_at: null,
    };
  }
}
