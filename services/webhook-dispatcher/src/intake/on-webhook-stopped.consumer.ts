import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource, type EntityManager } from 'typeorm';
import { WebhookStopped, type EventEnvelope } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Inbox } from '@postmesh/outbox';
import { Hears, LOGGER } from '@postmesh/service-host';

/** A webhook was disabled or deleted: what it is still owed is dropped (spec 2-messages §17, §18.8). */
@Controller()
export class OnWebhookStopped {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Hears(WebhookStopped)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const parsed = events.map((event) => WebhookStopped.parse(event));
    await this.dataSource.transaction(async (manager) => {
      const fresh = await this.inbox.admit(manager, 'webhook-dispatcher.stop', parsed);
      const webhookIds = fresh.map(({ data }) => data.webhook_id);
      if (webhookIds.length === 0) return;
      const dropped = await dropDeliveries(manager, webhookIds);
      this.logger.info(
        { event: 'webhook.stopped', webhook_ids: webhookIds, dropped },
        'webhooks stopped, deliveries dropped',
      );
    });
  }
}

async function dropDeliveries(manager: EntityManager, webhookIds: readonly string[]): Promise<number> {
  const [, count]: [unknown, number] = await manager.query(
    'delete from webhook_deliveries where webhook_id = any($1::uuid[])',
    [webhookIds],
  );
  return count;
}
