import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookDisabled, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { webhookDisabled } from './notices.rules.js';

@Injectable()
export class OnWebhookDisabled implements Consumer<typeof WebhookDisabled> {
  constructor(private readonly notices: Notices) {}

  @Consumes(WebhookDisabled, 'accounts.notify-of-disabled-webhooks')
  async handle(tx: EntityManager, events: EventOf<typeof WebhookDisabled>[]): Promise<void> {
    await this.notices.send(tx, events, (name, disabled) =>
      disabled.map((event) => webhookDisabled(name, event.data)),
    );
  }
}
