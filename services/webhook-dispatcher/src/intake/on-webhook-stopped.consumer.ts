import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { WebhookStopped } from '@postmesh/webhooks-contract';
import type { EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Consumes, LOGGER, type EventContext } from '@postmesh/service-host';
import { SetAsideDeliveries } from '../backlog/set-aside-deliveries.js';
import { EndpointStates } from '../endpoints/endpoint-states.js';
import { EndedDeliveries } from '../record/ended-deliveries.js';
import { Replays } from '../replay/replays.js';

/** A webhook or route was disabled or deleted: its pending deliveries end, and can be recovered (spec 2-messages §17, §18.8). */
@Controller()
export class OnWebhookStopped {
  constructor(
    private readonly ended: EndedDeliveries,
    private readonly aside: SetAsideDeliveries,
    private readonly states: EndpointStates,
    private readonly replays: Replays,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(WebhookStopped, 'webhook-dispatcher.stop')
  async handle(
    @Payload() events: EventOf<typeof WebhookStopped>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
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
