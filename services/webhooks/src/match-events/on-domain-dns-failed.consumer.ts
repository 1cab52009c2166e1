import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainDnsFailed, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { dnsErrorOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';
import { wants } from './matching.rules.js';

/** A domain that could send no longer can: `domain.dns_error`. */
@Injectable()
export class OnDomainDnsFailed implements Consumer<typeof DomainDnsFailed> {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(DomainDnsFailed, 'webhooks.match-failed-dns')
  async handle(tx: EntityManager, events: EventOf<typeof DomainDnsFailed>[]): Promise<void> {
    await this.matcher.match(tx, events, async (_, wanted, listenersOf) =>
      wanted.flatMap(({ account_id, trace, data }) =>
        listenersOf(account_id)
          .filter((listener) => wants(listener, 'on_dns_error', data.domain))
          .map((listener) => ({ listener, event: dnsErrorOf(data), trace })),
      ),
    );
  }
}
