import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { normaliseDomain, type AccountId } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { requirePresent } from '../account-changes/require-present.js';
import { AccountDomains } from './account-domains.js';
import { AddSuppressions } from './add-suppressions.js';
import { atMostPermanent, type Suppression } from './suppression.rules.js';
import {
  alreadySuppressed,
  noDomains,
  noSuchDomain,
  type CreateSuppressionBody,
} from './suppression.schema.js';

export interface CreateSuppressionsCommand {
  accountId: AccountId;
  input: CreateSuppressionBody;
}

/** `POST …/suppressions`: for one domain, or for each current domain of the account (spec 1-platform §14.2). */
@Injectable()
export class CreateSuppressions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: AccountDomains,
    private readonly addSuppressions: AddSuppressions,
  ) {}

  /** @returns the rows created. @throws ApiError 400, 401 or 409 */
  async execute(
    { accountId, input }: CreateSuppressionsCommand,
    remember: Remember<Suppression[]> = forgetResult,
  ): Promise<Suppression[]> {
    const domains = await this.findDomains(accountId, input.domain);
    const cause = {
      accountId,
      email: input.email,
      // a lone surrogate, which is valid in JSON but cannot be stored, becomes U+FFFD
      reason: Buffer.from(input.reason ?? '').toString(),
      protected: false,
      source: 'api' as const,
      createdAt: new Date(),
      expiresAt: atMostPermanent(input.expires_at),
    };
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const causes = domains.map((domain) => ({ ...cause, domain }));
      const created = await this.addSuppressions.execute(tx, causes, 'keep');
      if (created.length === 0) throw alreadySuppressed();
      await remember(tx, created);
      return created;
    });
  }

  private async findDomains(accountId: AccountId, given: string | null | undefined): Promise<string[]> {
    if (given !== null && given !== undefined) {
      const domain = normaliseDomain(given);
      if (domain === undefined || !(await this.domains.owns(accountId, domain))) throw noSuchDomain(given);
      return [domain];
    }
    const domains = await this.domains.all(accountId);
    if (domains.length === 0) throw noDomains();
    return domains;
  }
}
