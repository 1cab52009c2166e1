import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainId, OwnedDomain, type AccountId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';
import { SCOPE_DOMAIN_NOT_FOUND, type WantedScope } from './granted-scopes.rules.js';

/** A scope that may be granted: its domain belongs to the account. */
export interface OwnedScope {
  readonly scope: string;
  readonly domainId: DomainId | null;
}

// Requests to the domains service at once, per API call.
const MAX_AT_ONCE = 8;

@Injectable()
export class OwnedScopes {
  constructor(private readonly client: InternalClient) {}

  /**
   * Finds the domains of domain scopes. To be called outside a transaction, since it asks another service.
   * @throws ApiError 400 for the first scope whose domain the account does not own
   */
  async find(accountId: AccountId, wanted: readonly WantedScope[]): Promise<OwnedScope[]> {
    const domains = [...new Set(wanted.flatMap((one) => one.domain ?? []))];
    const ids = new Map<string, DomainId>();
    for (let at = 0; at < domains.length; at += MAX_AT_ONCE) {
      const some = domains.slice(at, at + MAX_AT_ONCE);
      const found = await Promise.all(some.map((domain) => this.findDomain(accountId, domain)));
      for (const [index, domain] of found.entries()) {
        if (domain) ids.set(some[index] ?? '', DomainId.parse(domain.domain_id));
      }
    }
    return wanted.map(({ scope, domain }) => {
      if (domain === undefined) return { scope, domainId: null };
      const domainId = ids.get(domain);
      if (domainId === undefined) throw SCOPE_DOMAIN_NOT_FOUND(scope);
      return { scope, domainId };
    });
  }

  /**
   * Refuses domains that were deleted since `find` asked. The caller holds the account's lock, which the
   * consumer of deletions takes as well, so none can be missed.
   */
  async refuseDeleted(manager: EntityManager, scopes: readonly OwnedScope[]): Promise<void> {
    const ids = scopes.flatMap((one) => one.domainId ?? []);
    if (ids.length === 0) return;
    const deleted: { domain_id: string }[] = await manager.query(
      'select domain_id from deleted_domains where domain_id = any($1::uuid[])',
      [ids],
    );
    const gone = scopes.find((one) => deleted.some((row) => row.domain_id === one.domainId));
    if (gone) throw SCOPE_DOMAIN_NOT_FOUND(gone.scope);
  }

  private findDomain(accountId: AccountId, domain: string): Promise<OwnedDomain | undefined> {
    const path = `/internal/accounts/${accountId}/domains/${encodeURIComponent(domain)}`;
    return this.client.request('domains', { method: 'GET', path }, OwnedDomain);
  }
}
