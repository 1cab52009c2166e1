import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookStopped, type EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Consumes, LOGGER, type Consumer } from '@postmesh/service-host';
import { SetAsideDeliveries } from '../backlog/set-aside-deliveries.js';
import { EndedDeliveries } from '../record/ended-deliveries.js';

/** A webhook or route was disabled or deleted: its pending deliveries are dropped (spec 2-messages §17, §18.8). */
@Injectable()
export class OnWebhookStopped implements Consumer<typeof WebhookStopped> {
  constructor(
    private readonly ended: EndedDeliveries,
    private readonly aside: SetAsideDeliveries,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(WebhookStopped, 'webhook-dispatcher.stop')
  async handle(tx: EntityManager, events: EventOf<typeof WebhookStopped>[]): Promise<void> {
    const webhookIds = events.map(({ data }) => data.webhook_id);
    await this.aside.forget(tx, webhookIds);
    const dropped = await this.ended.dropPending(tx, webhookIds);
    const deleted = events.filter(({ data }) => data.reason === 'deleted').map(({ data }) => data.webhook_id);
    if (deleted.length > 0) {
      await tx.query('delete from endpoint_states where endpoint_id = any($1::uuid[])', [deleted]);
    }
    this.logger.info(
      { event: 'webhook.stopped', webhook_ids: webhookIds, dropped },
      'webhooks stopped, deliveries dropped',
    );
  }
}
