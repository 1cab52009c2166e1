import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DomainDnsFailed } from '@postmesh/domains-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { domainsFailed } from './notices.rules.js';

/** One message for all domains of an account that failed together: an outage of DNS is reported once. */
@Controller()
export class OnDomainDnsFailed {
  constructor(private readonly notices: Notices) {}

  @Consumes(DomainDnsFailed, 'accounts.notify-of-failed-domains')
  async handle(
    @Payload() events: EventOf<typeof DomainDnsFailed>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    await this.notices.send(tx, events, (name, failed) => [
      domainsFailed(
        name,
        failed.map((event) => event.data),
      ),
    ]);
  }
}
