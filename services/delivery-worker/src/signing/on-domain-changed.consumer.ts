import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainChanged, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { PreparedMessages } from './prepared-messages.js';
import { SigningDirectory } from './signing-directory.js';

/** Drops what is cached of a domain that changed. */
@Injectable()
export class OnDomainChanged implements Consumer<typeof DomainChanged> {
  constructor(
    private readonly signers: SigningDirectory,
    private readonly messages: PreparedMessages,
  ) {}

  @Consumes(DomainChanged, 'delivery-worker.domain-changes')
  async handle(_tx: EntityManager, events: EventOf<typeof DomainChanged>[]): Promise<AfterCommit> {
    const changed = new Set(events.map(({ data }) => data.domain_id));
    return () => {
      for (const domainId of changed) {
        this.signers.forget(domainId);
        this.messages.forgetDomain(domainId);
      }
    };
  }
}
