import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import { AccountDomains } from './account-domains.js';
import type { SuppressedAddress } from './suppression.schema.js';
import { SuppressionsRepository, type RowPlace, type WipedPage } from './suppressions.repository.js';

// Rows of one transaction, which blocks other changes of this account's list.
const BATCH = 1_000;
const START: RowPlace = { domain: '', email: '' };

/** Removes addresses from the list: one of them, all unprotected ones, or all after the end of an account. */
@Injectable()
export class DeleteSuppressions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: AccountDomains,
    private readonly suppressions: SuppressionsRepository,
  ) {}

  /** `DELETE …/suppressions`: for one domain or all, including protected rows. @throws ApiError 404 */
  async deleteAddress(accountId: AccountId, given: SuppressedAddress): Promise<void> {
    const address = { ...given, domain: await this.domains.require(accountId, given.domain) };
    let removed = 0;
    for (let batch = BATCH; batch === BATCH; removed += batch) {
      batch = await this.dataSource.transaction(async (tx) => {
        await this.suppressions.lock(tx, [accountId]);
        return this.suppressions.removeAddress(tx, accountId, address, BATCH);
      });
    }
    if (removed === 0) throw ApiErrors.notFound('suppression');
  }

  /**
   * `DELETE …/suppressions/all`: the rows that exist at its start, batch by batch.
   * @returns the number of protected rows that are kept. @throws ApiError 404
   */
  async wipe(accountId: AccountId, given: string | undefined): Promise<number> {
    const domain = await this.domains.require(accountId, given);
    const { kept } = await this.wipeAll({ accountId, domain, all: false });
    return kept;
  }

  /** Removes the rows of a deleted account. @returns false when it was aborted */
  async deleteAccount(accountId: AccountId, signal: AbortSignal): Promise<boolean> {
    const { complete } = await this.wipeAll({ accountId, domain: undefined, all: true }, signal);
    return complete;
  }

  private async wipeAll(
    wipe: { accountId: AccountId; domain: string | undefined; all: boolean },
    signal?: AbortSignal,
  ): Promise<{ kept: number; complete: boolean }> {
    const until = await this.suppressions.newestRevision(this.dataSource.manager);
    let kept = 0;
    let place: RowPlace | undefined = START;
    while (place && !signal?.aborted) {
      const after: RowPlace = place;
      const page: WipedPage = await this.dataSource.transaction(async (tx) => {
        await this.suppressions.lock(tx, [wipe.accountId]);
        return this.suppressions.wipePage(tx, { ...wipe, until }, after, BATCH);
      });
      kept += page.kept;
      place = page.last;
    }
    return { kept, complete: place === undefined };
  }
}
