import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { answer, Refusals, WebhookStopped, type Answer } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import type { ApiCall } from '@postmesh/service-host';
import { WebhookEntity } from '../database/entities/index.js';
import { mayTouch } from './webhook-scope.rules.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** `DELETE …/webhooks/{id}`: what is still owed is dropped. */
@Injectable()
export class DeleteWebhook {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhooksRepository,
    private readonly outbox: Outbox,
  ) {}

  async execute(call: ApiCall): Promise<Answer> {
    const id = call.uuidParam('webhook_id');
    return this.dataSource.transaction(async (manager) => {
      const row = await this.webhooks.hold(manager, call.accountId, id);
      if (!row) throw Refusals.notFound('webhook');
      if (!mayTouch(call.principal, 'webhooks:delete', row.domains)) {
        throw Refusals.missingDomainScope('delete', 'webhooks');
      }
      await manager.delete(WebhookEntity, { id });
      const stopped = { webhook_id: id, reason: 'deleted' as const };
      await this.outbox.add(manager, WebhookStopped.make(stopped, { account_id: call.accountId }));
      return answer(200, { message: 'webhook deleted successfully' });
    });
  }
}
