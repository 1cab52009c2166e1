import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { AccountsRepository } from '../account/accounts.repository.js';
import { DeleteAccount, type Deletion } from '../account/delete-account.js';
import { CacheLeases } from '../revocation/cache-leases.js';

/** An operator deletes an account with its sub-accounts; no gateway accepts their keys any more when it resolves. */
@Injectable()
export class RemoveAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly deletion: DeleteAccount,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 404 `account not found` */
  async execute(accountId: string, order: Deletion): Promise<void> {
    const revision = await this.dataSource.transaction(async (manager) => {
      const account = await this.accounts.lock(manager, accountId);
      if (!account) throw ApiErrors.notFound('account');
      return this.deletion.apply(manager, account, order);
    });
    await this.leases.settled(revision);
  }
}
