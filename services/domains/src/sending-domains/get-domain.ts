import { Injectable } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { DomainErrors } from './domain-errors.js';
import type { DomainResult } from './domain.resource.js';

interface GetDomainCommand {
  accountId: AccountId;
  /** normalised */
  domain: string;
}

@Injectable()
export class GetDomain {
  constructor(
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
  ) {}

  /** @throws ApiError 404 */
  async execute({ accountId, domain: name }: GetDomainCommand): Promise<DomainResult> {
    const domain = await this.domains.find(accountId, name);
    if (!domain) throw DomainErrors.notFound();
    const { records } = await this.accounts.of(accountId);
    return { domain, records };
  }
}
