import { Injectable } from '@nestjs/common';
import { answer, type Answer } from '@postmesh/contracts';
import type { ApiCall } from '@postmesh/service-host';
import type { AccountSettings } from '../account-settings/account-settings.js';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { DomainRefusals, refuseSuspended, requireDomainName } from '../sending-domain/domain-refusals.js';
import { domainResource } from '../sending-domain/domain.resource.js';
import type { SendingDomain } from '../sending-domain/sending-domain.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';
import { CheckDomain, type CheckOutcome } from './check-domain.js';
import { isFresh } from './check-schedule.rules.js';

@Injectable()
export class CheckDnsHandler {
  /** checks that run now: who asks meanwhile gets the same result */
  private readonly running = new Map<string, Promise<CheckOutcome>>();

  constructor(
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly checkDomain: CheckDomain,
  ) {}

  async execute(call: ApiCall): Promise<Answer> {
    const name = requireDomainName(call.param('domain'));
    const domain = await this.domains.find(call.accountId, name);
    if (!domain) throw DomainRefusals.notFound();
    refuseSuspended(call.principal);
    const account = await this.accounts.of(call.accountId);
    const checked = isFresh(domain.last_dns_check_at, new Date())
      ? domain
      : await this.check(domain, account);
    return answer(200, domainResource(checked, account.records));
  }

  private async check(domain: SendingDomain, account: AccountSettings): Promise<SendingDomain> {
    const outcome = await (this.running.get(domain.id) ?? this.start(domain, account));
    if (outcome.kind === 'domain-gone') throw DomainRefusals.notFound();
    if (outcome.kind === 'zone-unreachable') throw DomainRefusals.zoneUnavailable();
    return outcome.result.after;
  }

  private start(domain: SendingDomain, account: AccountSettings): Promise<CheckOutcome> {
    const check = this.checkDomain
      .execute(domain, account, 'api')
      .finally(() => this.running.delete(domain.id));
    this.running.set(domain.id, check);
    return check;
  }
}
