import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors, mayTouch, unnamedDomains, type Principal } from '@postmesh/contracts';
import { WebhookEntity } from '../database/webhook.entity.js';
import { CallRequests, requestedCall } from '../match-events/call-requests.js';
import { sampleEvent } from '../webhook-events/sample-events.rules.js';
import type { EventFlag } from '../webhook-events/webhook-events.table.js';
import { WebhookErrors } from './webhook.schema.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** Made-up events for one webhook, whatever it listens to, signed and counted like any other (spec 2-messages §21). */
@Injectable()
export class TriggerWebhook {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhooksRepository,
    private readonly requests: CallRequests,
  ) {}

  /** @throws ApiError 403, 404 or 409 */
  async execute(
    { principal, id }: { principal: Principal; id: string },
    events: readonly EventFlag[],
  ): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const webhook = await this.webhooks.lock(tx, principal.account_id, id);
      if (!webhook) throw ApiErrors.notFound('webhook');
      if (!mayTouch(principal, 'webhooks:write', webhook.domains)) {
        throw ApiErrors.missingDomainScope('webhooks:write', unnamedDomains(webhook.domains));
      }
      await this.request(tx, webhook, events);
    });
  }

  /** The same for an operator, who has no account. @throws ApiError 404 or 409 */
  async executeForOperator(id: string, events: readonly EventFlag[]): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const webhook = await tx.findOne(WebhookEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (!webhook) throw ApiErrors.notFound('webhook');
      await this.request(tx, webhook, events);
    });
  }

  private async request(
    tx: EntityManager,
    webhook: WebhookEntity,
    events: readonly EventFlag[],
  ): Promise<void> {
    if (!webhook.enabled) throw WebhookErrors.disabled();
    const now = new Date();
    const calls = events.map((flag) =>
      requestedCall({ listener: webhook, event: sampleEvent(flag, webhook, now), trace: null }),
    );
    await this.requests.request(tx, calls);
  }
}
