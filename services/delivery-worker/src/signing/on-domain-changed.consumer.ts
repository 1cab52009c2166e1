import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DomainChanged, type EventEnvelope } from '@postmesh/contracts';
import { Hears } from '@postmesh/service-host';
import { SigningDirectory } from './signing-directory.js';

@Controller()
export class OnDomainChanged {
  constructor(private readonly signers: SigningDirectory) {}

  @Hears(DomainChanged)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    for (const event of events) this.signers.forget(DomainChanged.parse(event).data.domain_id);
  }
}
