import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DomainChanged, type EventEnvelope } from '@postmesh/contracts';
import { Hears } from '@postmesh/service-host';
import { PreparedMessages } from './prepared-messages.js';
import { SigningDirectory } from './signing-directory.js';

/** Drops what is cached of a domain that changed. */
@Controller()
export class OnDomainChanged {
  constructor(
    private readonly signers: SigningDirectory,
    private readonly messages: PreparedMessages,
  ) {}

  @Hears(DomainChanged)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const changed = new Set(events.map((event) => DomainChanged.parse(event).data.domain_id));
    for (const domainId of changed) {
      this.signers.forget(domainId);
      this.messages.forgetDomain(domainId);
    }
  }
}
