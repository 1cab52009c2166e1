import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EventOf } from '@postmesh/contracts';
import { MailSlowed } from '@postmesh/delivery-worker-contract';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { mailSlowed } from './notices.rules.js';

@Controller()
export class OnMailSlowed {
  constructor(private readonly notices: Notices) {}

  @Consumes(MailSlowed, 'accounts.notify-of-slow-mail')
  async handle(@Payload() events: EventOf<typeof MailSlowed>[], @Ctx() { tx }: EventContext): Promise<void> {
    await this.notices.send(tx, events, (name, slowed) =>
      slowed.map((event) => mailSlowed(name, event.data)),
    );
  }
}
