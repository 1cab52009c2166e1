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
   * Those that were deleted since `find` asked. The caller holds the account's lock, which the consumers of
   * deletions take as well, so none can be missed.
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

/** A domain that is no more, as a DomainChanged event tells. */
export interface DeletedDomain {
  readonly account_id: string;
  readonly domain_id: string;
}

/**
 * Takes the accounts that lose domains, and remembers the domains for `deletedAmong`. In one order, so that two
 * transactions cannot wait for each other.
 */
export async function takeDeleted(tx: EntityManager, deleted: readonly DeletedDomain[]): Promise<void> {
  await tx.query('select from accounts where id = any($1::uuid[]) order by id for no key update', [
    [...new Set(deleted.map(({ account_id: id }) => id))],
  ]);
  await tx.query(
    'insert into deleted_domains (domain_id) select unnest($1::uuid[]) order by 1 on conflict do nothing',
    [[...new Set(deleted.map(({ domain_id: id }) => id))]],
  );
  // needed for the seconds in which a domain is being named, no longer
  await tx.query(`delete from deleted_domains where deleted_at < now() - interval '1 day'`);
}
