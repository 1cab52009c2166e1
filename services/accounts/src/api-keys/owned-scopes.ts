import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountId, DomainId } from '@postmesh/contracts';
import { OwnedDomains } from '../owned-domains/owned-domains.js';
import { SCOPE_DOMAIN_NOT_FOUND, type WantedScope } from './granted-scopes.rules.js';

/** A scope that may be granted: its domain belongs to the account. */
export interface OwnedScope {
  readonly scope: string;
  readonly domainId: DomainId | null;
}

@Injectable()
export class OwnedScopes {
  constructor(private readonly domains: OwnedDomains) {}

  /**
   * Finds the domains of domain scopes. To be called outside a transaction, since it calls another service.
   * @throws ApiError 400 for the first scope whose domain the account does not own
   */
  async find(accountId: AccountId, wanted: readonly WantedScope[]): Promise<OwnedScope[]> {
    const domains = [...new Set(wanted.flatMap((one) => one.domain ?? []))];
    const ids = await this.domains.find(accountId, domains);
    return wanted.map(({ scope, domain }) => {
      if (domain === undefined) return { scope, domainId: null };
      const domainId = ids.get(domain);
      if (domainId === undefined) throw SCOPE_DOMAIN_NOT_FOUND(scope);
      return { scope, domainId };
    });
  }

  /**
   * Rejects domains that were deleted since `find`; the caller holds the account's lock.
   * @throws ApiError 400
   */
  async refuseDeleted(manager: EntityManager, scopes: readonly OwnedScope[]): Promise<void> {
    const deleted = await this.domains.deletedAmong(
      manager,
      scopes.flatMap((one) => one.domainId ?? []),
    );
    const gone = scopes.find(({ domainId }) => domainId !== null && deleted.has(domainId));
    if (gone) throw SCOPE_DOMAIN_NOT_FOUND(gone.scope);
  }
}
