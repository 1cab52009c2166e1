import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { WebhookDeliveryRequested, type EventEnvelope } from '@postmesh/contracts';
import { Inbox } from '@postmesh/outbox';
import { Hears } from '@postmesh/service-host';
import { WebhookQueue } from '../queue/webhook-queue.js';

/** A webhook matched an event: from now on the delivery is owed. */
@Controller()
export class OnWebhookDeliveryRequested {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    private readonly queue: WebhookQueue,
  ) {}

  @Hears(WebhookDeliveryRequested)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const parsed = events.map((event) => WebhookDeliveryRequested.parse(event));
    const afterCommit = await this.dataSource.transaction(async (manager) => {
      const fresh = await this.inbox.admit(manager, 'webhook-dispatcher.intake', parsed);
      return this.queue.add(manager, fresh);
    });
    afterCommit();
  }
}
