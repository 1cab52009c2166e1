import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { AccountEntity } from '../database/entities/index.js';

@Injectable()
export class AccountsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns undefined for an account that does not exist or is deleted */
  async find(id: string): Promise<AccountEntity | undefined> {
    const account = await this.dataSource.manager.findOneBy(AccountEntity, { id });
    return account && account.deletedAt === null ? account : undefined;
  }

  /**
   * Takes the account for the rest of the transaction: whatever else changes the account, its keys or
   * their scopes waits.
   */
  async lock(manager: EntityManager, id: string): Promise<AccountEntity | undefined> {
    const account = await manager.findOne(AccountEntity, {
      where: { id },
      lock: { mode: 'for_no_key_update' },
    });
    return account && account.deletedAt === null ? account : undefined;
  }

  /** Takes the sub-accounts that are not deleted, after their parent was taken. */
  lockChildren(manager: EntityManager, parentId: string): Promise<AccountEntity[]> {
    return manager.find(AccountEntity, {
      where: { parentAccountId: parentId, deletedAt: IsNull() },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** The sub-accounts that are not deleted. */
  childrenOf(manager: EntityManager, parentId: string): Promise<AccountEntity[]> {
    return manager.findBy(AccountEntity, { parentAccountId: parentId, deletedAt: IsNull() });
  }

  /** The parent of a sub-account, deleted or not. */
  async parentOf(manager: EntityManager, account: AccountEntity): Promise<AccountEntity | undefined> {
    if (account.parentAccountId === null) return undefined;
    return (await manager.findOneBy(AccountEntity, { id: account.parentAccountId })) ?? undefined;
  }
}
