import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookFailing, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { webhookFailing } from './notices.rules.js';

@Injectable()
export class OnWebhookFailing implements Consumer<typeof WebhookFailing> {
  constructor(private readonly notices: Notices) {}

  @Consumes(WebhookFailing, 'accounts.notify-of-failing-webhooks')
  async handle(tx: EntityManager, events: EventOf<typeof WebhookFailing>[]): Promise<void> {
    await this.notices.send(tx, events, (name, failing) =>
      failing.map((event) => webhookFailing(name, event.data)),
    );
  }
}
