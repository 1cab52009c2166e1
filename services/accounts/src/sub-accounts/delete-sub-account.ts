import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { AccountsRepository } from '../account/accounts.repository.js';
import { DeleteAccount } from '../account/delete-account.js';
import type { Actor } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import type { ChildOf } from './sub-accounts.repository.js';

/** Deletes a child, from any state; no gateway accepts its keys any more when it resolves. */
@Injectable()
export class DeleteSubAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly deletion: DeleteAccount,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 404 `sub account not found` */
  async execute({ parentId, childId }: ChildOf, actor: Actor): Promise<void> {
    const revision = await this.dataSource.transaction(async (manager) => {
      const account = await this.accounts.lock(manager, childId);
      if (account?.parentAccountId !== parentId) throw ApiErrors.notFound('sub account');
      return this.deletion.apply(manager, account, { actor, reason: '' });
    });
    await this.leases.settled(revision);
  }
}
