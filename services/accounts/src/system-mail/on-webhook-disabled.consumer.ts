import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { WebhookDisabled } from '@postmesh/webhooks-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { webhookDisabled } from './notices.rules.js';

@Controller()
export class OnWebhookDisabled {
  constructor(private readonly notices: Notices) {}

  @Consumes(WebhookDisabled, 'accounts.notify-of-disabled-webhooks')
  async handle(
    @Payload() events: EventOf<typeof WebhookDisabled>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    await this.notices.send(tx, events, (name, disabled) =>
      disabled.map((event) => webhookDisabled(name, event.data)),
    );
  }
}
