import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { Outbox } from '@postmesh/outbox';
import { DomainEntity } from '../database/entities/domain.entity.js';
import { deletedFacts, domainChanged } from '../sending-domain/domain-facts.rules.js';
import type { SendingDomain } from '../sending-domain/sending-domain.js';

/** What every deletion of domains is, whoever asks for it: keys and verdicts go along, and the others hear of it. */
@Injectable()
export class RemoveDomains {
  constructor(private readonly outbox: Outbox) {}

  /** @param domains locked in this transaction */
  async execute(manager: EntityManager, domains: readonly SendingDomain[]): Promise<void> {
    if (domains.length === 0) return;
    const now = new Date();
    await manager.delete(DomainEntity, { id: In(domains.map(({ id }) => id)) });
    await this.outbox.add(
      manager,
      domains.map((domain) => domainChanged(deletedFacts(domain), now)),
    );
  }
}
