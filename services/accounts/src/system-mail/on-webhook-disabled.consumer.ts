import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource, type EntityManager } from 'typeorm';
import { WebhookDisabled, type EventEnvelope } from '@postmesh/contracts';
import { Inbox } from '@postmesh/outbox';
import { Hears } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { webhookDisabled } from './notices.rules.js';

@Controller()
export class OnWebhookDisabled {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    private readonly notices: Notices,
  ) {}

  @Hears(WebhookDisabled)
  async on(@Payload() envelopes: EventEnvelope[]): Promise<void> {
    const events = envelopes.map((envelope) => WebhookDisabled.parse(envelope));
    await this.dataSource.transaction(async (tx) => {
      const fresh = await this.inbox.admit(tx, 'accounts.tell-of-disabled-webhooks', events);
      if (fresh.length > 0) await this.handle(tx, fresh);
    });
  }

  async handle(tx: EntityManager, events: ReturnType<typeof WebhookDisabled.parse>[]): Promise<void> {
    await this.notices.send(tx, events, (name, disabled) =>
      disabled.map((event) => webhookDisabled(name, event.data)),
    );
  }
}
