import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DomainDnsFailed, type EventEnvelope } from '@postmesh/contracts';
import { Hears } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { domainsFailed } from './notices.rules.js';

/** One message for all domains of an account that failed together: an outage of DNS is told once. */
@Controller()
export class OnDomainDnsFailed {
  constructor(private readonly notices: Notices) {}

  @Hears(DomainDnsFailed)
  async on(@Payload() envelopes: EventEnvelope[]): Promise<void> {
    const events = envelopes.map((envelope) => DomainDnsFailed.parse(envelope));
    await this.notices.send('accounts.tell-of-failed-domains', events, (name, failed) => [
      domainsFailed(
        name,
        failed.map((event) => event.data),
      ),
    ]);
  }
}
