import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SingleFlight } from '@postmesh/concurrency';
import { normaliseDomain, SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import type { SendingDomain } from '../database/entities.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import type { DomainDraft } from '../sending-domains/create-domain.rules.js';
import { DomainErrors } from '../sending-domains/domain-errors.js';
import { NewDomains } from '../sending-domains/new-domains.js';

// A name of its own under `_domainkey`: an account that added the domain before has its own records, and an
// operator who publishes ours does not confirm theirs.
const SELECTOR = 'system';

/** The sending domain of the service's own messages. */
@Injectable()
export class SystemDomain {
  /** a key pair takes a second of work: concurrent requests get the same domain */
  private readonly making = new SingleFlight<string, SendingDomain>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly newDomains: NewDomains,
  ) {}

  /**
   * The domain of this name that is valid in any account; else the service's own, created at the first request. An
   * unconfirmed domain of an account is not used: any account may add any name.
   */
  async ensure(domain: string): Promise<SendingDomain> {
    const found = await this.domains.findValidOrOf(SYSTEM_ACCOUNT_ID, domain);
    return found ?? this.making.run(domain, () => this.make(domain));
  }

  /** Releases the name for accounts. @throws ApiError 404 when the service has none of this name */
  async remove(domain: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const found = await this.domains.find(SYSTEM_ACCOUNT_ID, domain, tx);
      const locked = found && (await this.domains.lock(tx, found.id));
      if (!locked) throw DomainErrors.notFound();
      await this.domains.remove(tx, [locked]);
    });
  }

  private async make(domain: string): Promise<SendingDomain> {
    const prepared = await this.newDomains.prepare(systemDraft(domain), SYSTEM_ACCOUNT_ID);
    const made = await this.dataSource.transaction(async (tx) => {
      await this.domains.lockName(tx, domain);
      // another process has created it first
      const there = await this.domains.find(SYSTEM_ACCOUNT_ID, domain, tx);
      if (there) return there;
      await this.newDomains.insert(tx, prepared);
      return prepared.domain;
    });
    this.newDomains.publish(prepared);
    return made;
  }
}

const systemDraft = (domain: string): DomainDraft => ({
  domain,
  dnsMode: 'managed',
  subdomains: { tracking: null, return_path: null, subscription: null, media: null },
  dkimRotationIntervalDays: null,
  dkimSelector: SELECTOR,
  sendingType: 'transactional',
  ownKey: undefined,
});

/**
 * The sending domain of the service's own messages.
 * @param sender `POSTMESH_SYSTEM_SENDER`: `Name <address>` or an address; the service zone when there is none
 * @returns undefined when it names no domain
 */
export function systemSenderDomain(sender: string | undefined, serviceZone: string): string | undefined {
  const named = sender === undefined ? serviceZone : /@([^@\s<>]+)>?\s*$/.exec(sender)?.[1];
  return named === undefined ? undefined : normaliseDomain(named);
}
