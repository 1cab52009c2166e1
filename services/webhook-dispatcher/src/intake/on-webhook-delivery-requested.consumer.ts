import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { WebhookDeliveryRequested } from '@postmesh/webhooks-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { SetAsideDeliveries } from '../backlog/set-aside-deliveries.js';
import { EndedDeliveries } from '../record/ended-deliveries.js';
import { WebhookQueue } from '../queue/webhook-queue.js';

/**
 * A webhook matched an event: stores its delivery. Calls with a permit begin at the commit. Events missed by a disabled
 * webhook are kept for a recovery (spec 2-messages §18 rule 8).
 */
@Controller()
export class OnWebhookDeliveryRequested {
  constructor(
    private readonly webhooks: WebhookQueue,
    private readonly aside: SetAsideDeliveries,
    private readonly ended: EndedDeliveries,
  ) {}

  @Consumes(WebhookDeliveryRequested, 'webhook-dispatcher.intake')
  async handle(
    @Payload() events: EventOf<typeof WebhookDeliveryRequested>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const missed = events.filter(({ data }) => data.missed === true);
    if (missed.length > 0) await this.ended.keepRequested(tx, missed, 'missed');
    const wanted = events.filter(({ data }) => data.missed !== true);
    afterCommit(await this.webhooks.add(tx, await this.aside.divide(tx, wanted)));
  }
}
