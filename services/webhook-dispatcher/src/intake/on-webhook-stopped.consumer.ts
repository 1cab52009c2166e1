import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookStopped, type EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Consumes, LOGGER, type Consumer } from '@postmesh/service-host';

/** A webhook was disabled or deleted: its pending deliveries are dropped (spec 2-messages §17, §18.8). */
@Injectable()
export class OnWebhookStopped implements Consumer<typeof WebhookStopped> {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  @Consumes(WebhookStopped, 'webhook-dispatcher.stop')
  async handle(tx: EntityManager, events: EventOf<typeof WebhookStopped>[]): Promise<void> {
    const webhookIds = events.map(({ data }) => data.webhook_id);
    const [, dropped]: [unknown, number] = await tx.query(
      'delete from webhook_deliveries where webhook_id = any($1::uuid[])',
      [webhookIds],
    );
    this.logger.info(
      { event: 'webhook.stopped', webhook_ids: webhookIds, dropped },
      'webhooks stopped, deliveries dropped',
    );
  }
}
