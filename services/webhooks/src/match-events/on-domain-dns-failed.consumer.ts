import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainDnsFailed, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { dnsErrorOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/** A domain that could send no longer can: `domain.dns_error`. */
@Injectable()
export class OnDomainDnsFailed implements Consumer<typeof DomainDnsFailed> {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(DomainDnsFailed, 'webhooks.match-failed-dns')
  handle(tx: EntityManager, events: EventOf<typeof DomainDnsFailed>[]): Promise<AfterCommit | void> {
    return this.matcher.match(tx, events, ({ data }) => [dnsErrorOf(data)]);
  }
}
