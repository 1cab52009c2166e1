import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { DomainId, OwnedDomain, type AccountId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';

/** Which domains are an account's, for what names them: scopes of keys and SMTP credentials. */
@Injectable()
export class OwnedDomains {
  constructor(private readonly client: InternalClient) {}

  /**
   * Asks the domains service, which reads its own writes. To be called outside a transaction.
   * @returns the ids of those that the account has, by name
   */
  async find(accountId: AccountId, domains: readonly string[]): Promise<ReadonlyMap<string, DomainId>> {
    if (domains.length === 0) return new Map();
    const path = `/internal/accounts/${accountId}/domains/find`;
    const request = { method: 'POST' as const, path, body: { domains } };
    const found = await this.client.request('domains', request, z.array(OwnedDomain));
    return new Map(found?.map(({ domain, domain_id }) => [domain, DomainId.parse(domain_id)]));
  }

  /**
   * Those that were deleted since `find` asked. The caller holds the account's lock, which the consumer of
   * deletions takes as well, so none can be missed.
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
