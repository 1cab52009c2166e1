import { Injectable } from '@nestjs/common';
import { SingleFlight } from '@postmesh/concurrency';
import type { DomainId, Principal } from '@postmesh/contracts';
import type { SendingDomain } from '../database/entities.js';
import { CheckDomain } from '../dns/check-domain.js';
import { isFresh } from '../dns/dns-state.rules.js';
import { AccountSettingsStore, type AccountSettings } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { untilFactsExpire } from '../domain-store/until-facts-expire.js';
import { DomainErrors, requireActive } from './domain-errors.js';
import type { DomainResult } from './domain.resource.js';

interface CheckDnsCommand {
  principal: Principal;
  /** normalised */
  domain: string;
}

/** Checks a domain now, unless it was checked less than a minute ago (spec 1-platform §11.3). */
@Injectable()
export class CheckDns {
  /** requests during a running check get its result */
  private readonly running = new SingleFlight<DomainId, SendingDomain>();

  constructor(
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly checkDomain: CheckDomain,
  ) {}

  async execute({ principal, domain: name }: CheckDnsCommand): Promise<DomainResult> {
    const domain = await this.domains.find(principal.account_id, name);
    if (!domain) throw DomainErrors.notFound();
    requireActive(principal);
    const account = await this.accounts.of(principal.account_id);
    const checked = isFresh(domain.lastDnsCheckAt, await this.domains.now())
      ? domain
      : await this.running.run(domain.id, () => this.check(domain, account));
    return { domain: checked, records: account.records };
  }

  /** Reads the row again, because a check may have ended after it was read. */
  private async check(domain: SendingDomain, account: AccountSettings): Promise<SendingDomain> {
    const now = await this.domains.findById(domain.id);
    if (now && isFresh(now.lastDnsCheckAt, await this.domains.now())) return now;
    const outcome = await this.checkDomain.execute({ domain, account, source: 'api' });
    if (outcome.kind === 'domain-gone') throw DomainErrors.notFound();
    if (outcome.kind === 'zone-unreachable') throw DomainErrors.zoneUnavailable();
    await untilFactsExpire(domain, outcome.result.after);
    return outcome.result.after;
  }
}
