import { Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { ApiCall, Call, Operation } from '@postmesh/service-host';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { DomainErrors, requireDomainName } from '../sending-domain/domain-errors.js';
import { domainResource } from '../sending-domain/domain.resource.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';

@Controller()
export class GetDomainController {
  constructor(
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
  ) {}

  @Operation('domains.get')
  async get(@Call() call: ApiCall): Promise<ApiResponse> {
    const name = requireDomainName(call.param('domain'));
    const domain = await this.domains.find(call.accountId, name);
    if (!domain) throw DomainErrors.notFound();
    const { records } = await this.accounts.of(call.accountId);
    return apiResponse(200, domainResource(domain, records));
  }
}
