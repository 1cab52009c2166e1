import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DomainDnsFailed } from '@postmesh/domains-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { dnsErrorOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/** A domain lost its valid DNS: `domain.dns_error`. */
@Controller()
export class OnDomainDnsFailed {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(DomainDnsFailed, 'webhooks.match-failed-dns')
  async handle(
    @Payload() events: EventOf<typeof DomainDnsFailed>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.matcher.match(tx, events, ({ data }) => [dnsErrorOf(data)]));
  }
}
