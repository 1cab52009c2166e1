import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { WebhookFailing } from '@postmesh/webhooks-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { webhookFailing } from './notices.rules.js';

@Controller()
export class OnWebhookFailing {
  constructor(private readonly notices: Notices) {}

  @Consumes(WebhookFailing, 'accounts.notify-of-failing-webhooks')
  async handle(
    @Payload() events: EventOf<typeof WebhookFailing>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    await this.notices.send(tx, events, (name, failing) =>
      failing.map((event) => webhookFailing(name, event.data)),
    );
  }
}
