import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import type { DomainDraft } from '../create-domain/create-domain.rules.js';
import { DomainMaker } from '../create-domain/domain-maker.js';
import { RemoveDomains } from '../delete-domain/remove-domains.js';
import { lockName } from '../sending-domain/domain-locks.js';
import { DomainErrors } from '../sending-domain/domain-errors.js';
import type { SendingDomain } from '../sending-domain/sending-domain.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';

// A name of its own under `_domainkey`: an account that added the domain before has its records beside ours, and
// an operator who publishes ours does not confirm theirs.
const SELECTOR = 'system';

/** The domain from which the service writes its own messages. */
@Injectable()
export class SystemDomain {
  /** a key pair takes a second of work: who asks meanwhile gets the same domain */
  private readonly making = new Map<string, Promise<SendingDomain>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly maker: DomainMaker,
    private readonly removal: RemoveDomains,
  ) {}

  /**
   * The domain of this name that is valid, whoever has it; else the service's own, made when it is first asked for.
   * An account's domain that nobody has confirmed is not taken: anybody may add any name.
   */
  async ensure(domain: string): Promise<SendingDomain> {
    const known = await this.domains.findValidOrOf(SYSTEM_ACCOUNT_ID, domain);
    return known ?? this.making.get(domain) ?? this.start(domain);
  }

  /** Gives the name free for accounts. @throws ApiError 404 when the service has none of this name */
  async remove(domain: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const found = await this.domains.find(SYSTEM_ACCOUNT_ID, domain, manager);
      const locked = found && (await this.domains.lock(manager, found.id));
      if (!locked) throw DomainErrors.notFound();
      await this.removal.execute(manager, [locked]);
    });
  }

  private start(domain: string): Promise<SendingDomain> {
    const making = this.make(domain).finally(() => this.making.delete(domain));
    this.making.set(domain, making);
    return making;
  }

  private async make(domain: string): Promise<SendingDomain> {
    const prepared = await this.maker.prepare(systemDraft(domain), SYSTEM_ACCOUNT_ID);
    return this.dataSource.transaction(async (manager) => {
      await lockName(manager, domain);
      // another process was first
      const there = await this.domains.find(SYSTEM_ACCOUNT_ID, domain, manager);
      if (there) return there;
      await this.maker.insert(manager, prepared);
      return prepared.domain;
    });
  }
}

const systemDraft = (domain: string): DomainDraft => ({
  domain,
  dns_mode: 'managed',
  tracking_subdomain: null,
  return_path_subdomain: null,
  subscription_subdomain: null,
  media_subdomain: null,
  dkim_rotation_interval_days: null,
  dkim_selector: SELECTOR,
  sending_type: 'transactional',
  ownKey: undefined,
});
