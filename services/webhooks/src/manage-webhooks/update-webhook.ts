import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  ApiErrors,
  mayCover,
  mayTouch,
  Transient,
  unnamedDomains,
  WebhookStopped,
  type Principal,
} from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { SecretBox } from '@postmesh/secrets';
import { SEALED_WEBHOOK_URLS, storedUrl, wholeUrl } from '../database/target-url.js';
import { NEVER_FAILED } from '../count-calls/call-counters.rules.js';
import { WebhookEntity } from '../database/webhook.entity.js';
import { OwnedDomains } from './webhook-checks.js';
import { PublicTarget } from './webhook-checks.js';
import type { UpdateBody } from './webhook.schema.js';
import { changeWebhook, type WebhookChange } from './webhook-change.rules.js';
import { WebhooksRepository } from './webhooks.repository.js';

// A webhook that several clients change at the same moment is looked at anew; more rounds are no accident.
const ROUNDS = 5;

export interface UpdateWebhookCommand {
  principal: Principal;
  id: string;
  input: UpdateBody;
}

/** `PUT …/webhooks/{id}` (spec 2-messages §17). */
@Injectable()
export class UpdateWebhook {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhooksRepository,
    private readonly owned: OwnedDomains,
    private readonly target: PublicTarget,
    private readonly outbox: Outbox,
    private readonly secrets: SecretBox,
  ) {}

  /** @throws ApiError 400, 403 or 404 */
  async execute({ principal, id, input }: UpdateWebhookCommand): Promise<WebhookEntity> {
    const { account_id: accountId } = principal;
    if (input.url) this.target.require(input.url);
    for (let round = 0; round < ROUNDS; round += 1) {
      const seen = await this.webhooks.find(this.dataSource.manager, accountId, id);
      if (!seen) throw ApiErrors.notFound('webhook');
      const change = decide(principal, this.withWholeUrl(seen), input);
      await this.owned.require(accountId, change.namedDomains);
      const row = await this.apply(seen, change);
      if (row) return row;
    }
    throw new Transient(`webhook ${id} is being changed by others`);
  }

  private withWholeUrl(seen: WebhookEntity): WebhookEntity {
    return { ...seen, url: wholeUrl(seen, SEALED_WEBHOOK_URLS.about(seen.id), this.secrets) };
  }

  /**
   * An operator enables it.
   * @returns undefined when there is no such webhook
   */
  async enableForOperator(id: string): Promise<WebhookEntity | undefined> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const seen = await this.dataSource.manager.findOneBy(WebhookEntity, { id });
      if (!seen || seen.enabled) return seen ?? undefined;
      const row = await this.apply(seen, changeWebhook(this.withWholeUrl(seen), { enabled: true }));
      if (row) return row;
    }
    throw new Transient(`webhook ${id} is being changed by others`);
  }

  /** @returns undefined when the webhook is no longer what the decision was made about */
  private apply(seen: WebhookEntity, change: WebhookChange): Promise<WebhookEntity | undefined> {
    return this.dataSource.transaction(async (manager) => {
      const now = await this.webhooks.lock(manager, seen.account_id, seen.id);
      if (now?.revision !== seen.revision) return undefined;
      const changes = {
        ...change.fields,
        ...storedUrl(change.fields.url, SEALED_WEBHOOK_URLS.about(now.id), this.secrets),
        ...(change.forgetsErrors ? NEVER_FAILED : {}),
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
  if (!mayTouch(principal, 'webhooks:write', seen.domains)) {
    throw ApiErrors.missingDomainScope('webhooks:write', unnamedDomains(seen.domains));
  }
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
