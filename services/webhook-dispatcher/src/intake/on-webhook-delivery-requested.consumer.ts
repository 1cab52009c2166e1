import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookDeliveryRequested, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { SetAsideDeliveries } from '../backlog/set-aside-deliveries.js';
import { WebhookQueue } from '../queue/webhook-queue.js';

/** A webhook matched an event: its delivery is stored. What has permits begins with the commit. */
@Injectable()
export class OnWebhookDeliveryRequested implements Consumer<typeof WebhookDeliveryRequested> {
  constructor(
    private readonly webhooks: WebhookQueue,
    private readonly aside: SetAsideDeliveries,
  ) {}

  @Consumes(WebhookDeliveryRequested, 'webhook-dispatcher.intake')
  async handle(tx: EntityManager, events: EventOf<typeof WebhookDeliveryRequested>[]): Promise<AfterCommit> {
    return this.webhooks.add(tx, await this.aside.divide(tx, events));
  }
}
