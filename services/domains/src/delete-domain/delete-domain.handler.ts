import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, hasDomainScope, ApiErrors, type ApiResponse } from '@postmesh/contracts';
import type { ApiCall } from '@postmesh/service-host';
import { DomainErrors, refuseSuspended, requireDomainName } from '../sending-domain/domain-errors.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';
import { RemoveDomains } from './remove-domains.js';

@Injectable()
export class DeleteDomainHandler {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly removal: RemoveDomains,
  ) {}

  /** Scope, existence, paused: in this order (spec 1-platform §11.3). */
  async execute(call: ApiCall): Promise<ApiResponse> {
    const name = requireDomainName(call.param('domain'));
    if (!hasDomainScope(call.principal, 'domains:delete', name)) {
      throw ApiErrors.missingDomainScope('delete', 'domains');
    }
    const found = await this.domains.find(call.accountId, name);
    if (!found) throw DomainErrors.notFound();
    refuseSuspended(call.principal);
    return this.dataSource.transaction(async (manager) => {
      const domain = await this.domains.lock(manager, found.id);
      if (!domain) throw DomainErrors.notFound();
      if (domain.paused_at !== null) throw DomainErrors.paused(domain.domain);
      await this.removal.execute(manager, [domain]);
      return apiResponse(200, { message: 'domain deleted successfully' });
    });
  }
}
