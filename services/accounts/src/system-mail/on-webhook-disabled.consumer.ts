import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { WebhookDisabled, type EventEnvelope } from '@postmesh/contracts';
import { Hears } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { webhookDisabled } from './notices.rules.js';

@Controller()
export class OnWebhookDisabled {
  constructor(private readonly notices: Notices) {}

  @Hears(WebhookDisabled)
  async on(@Payload() envelopes: EventEnvelope[]): Promise<void> {
    const events = envelopes.map((envelope) => WebhookDisabled.parse(envelope));
    await this.notices.send('accounts.tell-of-disabled-webhooks', events, (name, disabled) =>
      disabled.map((event) => webhookDisabled(name, event.data)),
    );
  }
}
