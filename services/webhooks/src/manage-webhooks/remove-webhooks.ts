import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { WebhookStopped } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { WebhookEntity } from '../database/entities/index.js';

/** What every deletion of webhooks is, whoever asks for it: the dispatcher drops what it still owes them. */
@Injectable()
export class RemoveWebhooks {
  constructor(private readonly outbox: Outbox) {}

  /** @param webhooks held in this transaction, so that no event is being matched with them */
  async execute(
    manager: EntityManager,
    webhooks: readonly Pick<WebhookEntity, 'id' | 'account_id'>[],
  ): Promise<void> {
    if (webhooks.length === 0) return;
    await manager.delete(WebhookEntity, { id: In(webhooks.map(({ id }) => id)) });
    await this.outbox.add(
      manager,
      webhooks.map(({ id, account_id }) =>
        WebhookStopped.make({ webhook_id: id, reason: 'deleted' }, { account_id }),
      ),
    );
  }
}
