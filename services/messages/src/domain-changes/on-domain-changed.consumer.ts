import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DomainChanged, type EventEnvelope } from '@postmesh/contracts';
import { Hears } from '@postmesh/service-host';
import { DomainDirectory } from './domain-directory.js';

/** Shortens the short cache: a domain that changed is looked up again at once. */
@Controller()
export class OnDomainChanged {
  constructor(private readonly domains: DomainDirectory) {}

  @Hears(DomainChanged)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    for (const event of events) {
      const { data } = DomainChanged.parse(event);
      this.domains.forget(data.account_id, data.domain);
    }
  }
}
