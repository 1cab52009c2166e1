import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookStopped, type EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Consumes, LOGGER, type Consumer } from '@postmesh/service-host';
import { SetAsideDeliveries } from '../backlog/set-aside-deliveries.js';
import { EndpointStates } from '../endpoints/endpoint-states.js';
import { EndedDeliveries } from '../record/ended-deliveries.js';
import { Replays } from '../replay/replays.js';

/** A webhook or route was disabled or deleted: its pending deliveries end, and can be recovered (spec 2-messages §17, §18.8). */
@Injectable()
export class OnWebhookStopped implements Consumer<typeof WebhookStopped> {
  constructor(
    private readonly ended: EndedDeliveries,
    private readonly aside: SetAsideDeliveries,
    private readonly states: EndpointStates,
    private readonly replays: Replays,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(WebhookStopped, 'webhook-dispatcher.stop')
  async handle(tx: EntityManager, events: EventOf<typeof WebhookStopped>[]): Promise<void> {
    const webhookIds = events.map(({ data }) => data.webhook_id);
    await this.aside.forget(tx, webhookIds);
    await this.replays.stop(tx, webhookIds);
    const dropped = await this.ended.dropPending(tx, webhookIds);
    const deleted = events.filter(({ data }) => data.reason === 'deleted').map(({ data }) => data.webhook_id);
    await this.states.reset(tx, webhookIds, deleted);
    this.logger.info(
      { event: 'webhook.stopped', webhook_ids: webhookIds, dropped },
      'webhooks stopped, pending deliveries ended',
    );
  }
}
