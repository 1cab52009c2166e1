import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, KnownSubAccount, ApiErrors, type ApiResponse } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';
import { Outbox } from '@postmesh/outbox';
import type { ApiCall } from '@postmesh/service-host';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { DomainEntity } from '../database/entities/domain.entity.js';
import { domainChanged, domainFacts } from '../sending-domain/domain-facts.rules.js';
import { DomainErrors, requireDomainName } from '../sending-domain/domain-errors.js';
import { domainResource } from '../sending-domain/domain.resource.js';
import type { SendingDomain } from '../sending-domain/sending-domain.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';

/** A parent lets its sub-account send from a paused domain again (spec 1-platform §10.3, §11.8 rule 3). */
@Injectable()
export class UnpauseDomainHandler {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly outbox: Outbox,
    private readonly client: InternalClient,
  ) {}

  async execute(call: ApiCall): Promise<ApiResponse> {
    const childId = call.uuidParam('sub_account_id');
    const name = requireDomainName(call.param('domain'));
    await this.requireChild(call.accountId, childId);
    const found = await this.domains.find(childId, name);
    if (!found) throw DomainErrors.notFound();
    const domain = found.paused_at === null ? found : await this.unpause(found.id);
    const { records } = await this.accounts.of(childId);
    return apiResponse(200, domainResource(domain, records));
  }

  private async requireChild(parentId: string, childId: string): Promise<void> {
    const path = `/internal/accounts/${parentId}/sub-accounts/${childId}`;
    const known = await this.client.request('accounts', { method: 'GET', path }, KnownSubAccount);
    if (!known) throw ApiErrors.notFound('sub account');
  }

  private unpause(id: string): Promise<SendingDomain> {
    return this.dataSource.transaction(async (manager) => {
      const before = await this.domains.lock(manager, id);
      if (!before) throw DomainErrors.notFound();
      if (before.paused_at === null) return before;
      const now = new Date();
      const change = {
        paused_at: null,
        pause_reason: null,
        updated_at: now,
        revision: before.revision + 1,
      };
      await manager.update(DomainEntity, { id }, change);
      const after = { ...before, ...change };
      await this.outbox.add(manager, domainChanged(domainFacts(after), now));
      return after;
    });
  }
}
