import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { OwnedDomain } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';
import { unknownDomain } from './webhook-body.js';

/** Asks the domains service, which reads its own writes: a domain made in the last request counts. */
@Injectable()
export class OwnedDomains {
  constructor(private readonly client: InternalClient) {}

  /**
   * @throws ApiError 400 for the first domain that is not the account's; Transient when nobody can say
   */
  async require(accountId: string, domains: readonly string[]): Promise<void> {
    if (domains.length === 0) return;
    const found = await this.client.request(
      'domains',
      { method: 'POST', path: `/internal/accounts/${accountId}/domains/find`, body: { domains } },
      z.array(OwnedDomain),
    );
    const owned = new Set(found?.map(({ domain }) => domain));
    const missing = domains.find((domain) => !owned.has(domain));
    if (missing !== undefined) throw unknownDomain(missing);
  }
}
