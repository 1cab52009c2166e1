import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DomainDnsFailed, type EventEnvelope } from '@postmesh/contracts';
import { Hears } from '@postmesh/service-host';
import { dnsErrorOf } from '../public-payloads/domain-payload.rules.js';
import { EventMatcher } from './event-matcher.js';
import { wants } from './matching.rules.js';

/** A domain that could send no longer can: `domain.dns_error`. */
@Controller()
export class OnDomainDnsFailed {
  constructor(private readonly matcher: EventMatcher) {}

  @Hears(DomainDnsFailed)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    await this.matcher.match(
      'webhooks.on-domain-dns-failed',
      DomainDnsFailed,
      events,
      async (_, fresh, listenersOf) =>
        fresh.flatMap(({ account_id, trace, data }) =>
          listenersOf(account_id)
            .filter((listener) => wants(listener, 'on_dns_error', data.domain))
            .map((listener) => ({ listener, event: dnsErrorOf(data), trace })),
        ),
    );
  }
}
