import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { DomainId, type AccountId } from '@postmesh/contracts';
import { OwnedDomain } from '@postmesh/domains-contract';
import { InternalClient } from '@postmesh/http';

/** Finds the domains of an account that scopes of keys and SMTP credentials name. */
@Injectable()
export class OwnedDomains {
  constructor(private readonly client: InternalClient) {}

  /**
   * Queries the domains service, which reads its own writes. To be called outside a transaction.
   * @returns the ids of the account's domains, by name
   */
  async find(accountId: AccountId, domains: readonly string[]): Promise<ReadonlyMap<string, DomainId>> {
    if (domains.length === 0) return new Map();
    const path = `/internal/accounts/${accountId}/domains/find`;
    const request = { method: 'POST' as const, path, body: { domains } };
    const found = await this.client.request('domains', request, z.array(OwnedDomain));
    return new Map(found?.map(({ domain, domain_id }) => [domain, DomainId.parse(domain_id)]));
  }

  /**
   * The domains that were deleted since `find`. The caller holds the account's lock, which the consumer of
   * deletions takes as well, so no deletion is missed.
   */
  async deletedAmong(manager: EntityManager, ids: readonly DomainId[]): Promise<ReadonlySet<DomainId>> {
    if (ids.length === 0) return new Set();
    const rows: { domain_id: DomainId }[] = await manager.query(
      'select domain_id from deleted_domains where domain_id = any($1::uuid[])',
      [ids],
    );
    return new Set(rows.map((row) => row.domain_id));
  }
}
