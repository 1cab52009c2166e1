import { Injectable } from '@nestjs/common';
import { ApiErrors, normaliseDomain, type AccountId } from '@postmesh/contracts';
import { DomainNamesPage, OwnedDomain } from '@postmesh/domains-contract';
import { InternalClient } from '@postmesh/http';

/** Queries the domains service, which reads its own writes: a domain created or deleted in the last request counts. */
@Injectable()
export class AccountDomains {
  constructor(private readonly client: InternalClient) {}

  /** @param domain normalised. @throws Transient when the domains service is unavailable */
  async owns(accountId: AccountId, domain: string): Promise<boolean> {
    const path = `/internal/accounts/${accountId}/domains/${encodeURIComponent(domain)}`;
    return (await this.client.request('domains', { method: 'GET', path }, OwnedDomain)) !== undefined;
  }

  /**
   * @param text a domain as in the request; undefined: all domains
   * @returns its normalised form. @throws ApiError 404; Transient when the domains service is unavailable
   */
  async require(accountId: AccountId, text: string | undefined): Promise<string | undefined> {
    if (text === undefined) return undefined;
    const domain = normaliseDomain(text);
    if (domain === undefined || !(await this.owns(accountId, domain))) throw ApiErrors.notFound('domain');
    return domain;
  }

  /**
   * All domain names of the account, ascending, bounded by its limit. @throws Transient when the domains service is
   * unavailable
   */
  async all(accountId: AccountId): Promise<string[]> {
    const names: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const path: string = `/internal/accounts/${accountId}/domains?after=${encodeURIComponent(after)}`;
      const page: DomainNamesPage | undefined = await this.client.request(
        'domains',
        { method: 'GET', path },
        DomainNamesPage,
      );
      names.push(...(page?.domains ?? []));
      after = page?.next ?? null;
    }
    return names;
  }
}
