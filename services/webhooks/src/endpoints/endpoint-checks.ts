import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import { OwnedDomain } from '@postmesh/domains-contract';
import { AddressPolicy, InternalClient, isRefusedAtSight } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { EndpointErrors } from './endpoint.schema.js';

/** Queries the domains service, which reads its own writes: a domain created by the previous request counts. */
@Injectable()
export class OwnedDomains {
  constructor(private readonly client: InternalClient) {}

  /**
   * @throws ApiError 400 for the first domain that is not the account's; Transient while the domains service is unavailable
   */
  async require(accountId: string, domains: readonly string[]): Promise<void> {
    const owned = await this.find(accountId, domains);
    const missing = domains.find((domain) => !owned.has(domain));
    if (missing !== undefined) throw EndpointErrors.unknownDomain(missing);
  }

  /** @returns the ids of the account's domains, by name; throws Transient while the domains service is unavailable */
  async find(accountId: string, domains: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (domains.length === 0) return new Map();
    const found = await this.client.request(
      'domains',
      { method: 'POST', path: `/internal/accounts/${accountId}/domains/find`, body: { domains } },
      z.array(OwnedDomain),
    );
    return new Map(found?.map(({ domain, domain_id }) => [domain, domain_id]));
  }
}

/** Rejects literal private addresses before an endpoint is stored. */
@Injectable()
export class PublicTarget {
  private readonly policy: AddressPolicy;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.policy = new AddressPolicy(settings.outgoingHttpAllow);
  }

  /** @throws ApiError 400 for a literal address that may not be called; names are checked at each call */
  require(url: string): void {
    if (isRefusedAtSight(new URL(url), this.policy)) {
      throw new ApiError(400, 'url must point to a public address');
    }
  }
}
