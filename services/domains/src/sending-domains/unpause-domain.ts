import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, type AccountId, type DomainId } from '@postmesh/contracts';
import { KnownSubAccount } from '@postmesh/accounts-contract';
import { InternalClient } from '@postmesh/http';
import type { SendingDomain } from '../database/entities.js';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { DomainPauses } from '../pauses/domain-pauses.js';
import { DomainErrors } from './domain-errors.js';
import type { DomainResult } from './domain.resource.js';

interface UnpauseDomainCommand {
  parentId: AccountId;
  /** of the principal */
  knownChild: AccountId | null | undefined;
  childId: AccountId;
  /** normalised */
  domain: string;
}

/** A parent lets its sub-account send from a paused domain again (spec 1-platform §10.3, §11.8 rule 3). */
@Injectable()
export class UnpauseDomain {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly pauses: DomainPauses,
    private readonly client: InternalClient,
  ) {}

  async execute(command: UnpauseDomainCommand): Promise<DomainResult> {
    const { parentId, childId, domain: name } = command;
    await this.requireChild(command);
    const found = await this.domains.find(childId, name);
    if (!found) throw DomainErrors.notFound();
    const domain = found.pausedAt === null ? found : await this.unpause(found.id, parentId);
    const { records } = await this.accounts.of(childId);
    return { domain, records };
  }

  /** A gateway of the release before does not know the child: the question goes with the next release (decision 109). */
  private async requireChild({ parentId, childId, knownChild }: UnpauseDomainCommand): Promise<void> {
    if (knownChild === childId) return;
    if (knownChild !== undefined) throw ApiErrors.notFound('sub account');
    const path = `/internal/accounts/${parentId}/sub-accounts/${childId}`;
    const child = await this.client.request('accounts', { method: 'GET', path }, KnownSubAccount);
    if (!child) throw ApiErrors.notFound('sub account');
  }

  private unpause(id: DomainId, parentId: AccountId): Promise<SendingDomain> {
    return this.dataSource.transaction(async (tx) => {
      const before = await this.domains.lock(tx, id);
      if (!before) throw DomainErrors.notFound();
      return this.pauses.lift(tx, before, `parent account ${parentId}`);
    });
  }
}
