import { Injectable } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import type { ApiCall } from '@postmesh/service-host';
import type { AccountSettings } from '../account-settings/account-settings.js';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { DomainErrors, refuseSuspended, requireDomainName } from '../sending-domain/domain-errors.js';
import { domainResource } from '../sending-domain/domain.resource.js';
import type { SendingDomain } from '../sending-domain/sending-domain.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';
import { CheckDomain } from './check-domain.js';
import { isFresh } from './check-schedule.rules.js';

@Injectable()
export class CheckDnsHandler {
  /** checks that run now: who asks meanwhile gets the same result */
  private readonly running = new Map<string, Promise<SendingDomain>>();

  constructor(
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly checkDomain: CheckDomain,
  ) {}

  async execute(call: ApiCall): Promise<ApiResponse> {
    const name = requireDomainName(call.param('domain'));
    const domain = await this.domains.find(call.accountId, name);
    if (!domain) throw DomainErrors.notFound();
    refuseSuspended(call.principal);
    const account = await this.accounts.of(call.accountId);
    const checked = isFresh(domain.last_dns_check_at, new Date())
      ? domain
      : await this.check(domain, account);
    return apiResponse(200, domainResource(checked, account.records));
  }

  private check(domain: SendingDomain, account: AccountSettings): Promise<SendingDomain> {
    const running = this.running.get(domain.id);
    if (running) return running;
    const check = this.start(domain, account).finally(() => this.running.delete(domain.id));
    this.running.set(domain.id, check);
    return check;
  }

  /** A check that ended after our row was read has done the work: only a second look tells. */
  private async start(domain: SendingDomain, account: AccountSettings): Promise<SendingDomain> {
    const now = await this.domains.find(domain.account_id, domain.domain);
    if (now && isFresh(now.last_dns_check_at, new Date())) return now;
    const outcome = await this.checkDomain.execute(domain, account, 'api');
    if (outcome.kind === 'domain-gone') throw DomainErrors.notFound();
    if (outcome.kind === 'zone-unreachable') throw DomainErrors.zoneUnavailable();
    return outcome.result.after;
  }
}
