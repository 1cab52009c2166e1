import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, hasDomainScope, type Principal } from '@postmesh/contracts';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { untilFactsExpire } from '../domain-store/until-facts-expire.js';
import { DomainErrors, requireActive } from './domain-errors.js';

interface DeleteDomainCommand {
  principal: Principal;
  /** normalised */
  domain: string;
}

@Injectable()
export class DeleteDomain {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
  ) {}

  /** Checks scope, existence and pause in this order (spec 1-platform §11.3). */
  async execute({ principal, domain: name }: DeleteDomainCommand): Promise<void> {
    if (!hasDomainScope(principal, 'domains:delete', name)) {
      throw ApiErrors.missingDomainScope('domains:delete', [name]);
    }
    const found = await this.domains.find(principal.account_id, name);
    if (!found) throw DomainErrors.notFound();
    requireActive(principal);
    const deleted = await this.dataSource.transaction(async (tx) => {
      const domain = await this.domains.lock(tx, found.id);
      if (!domain) throw DomainErrors.notFound();
      if (domain.pausedAt !== null) throw DomainErrors.paused(domain.domain);
      await this.domains.remove(tx, [domain]);
      return domain;
    });
    await untilFactsExpire(deleted, undefined);
  }
}
