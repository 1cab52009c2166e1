import { Injectable, type PipeTransform } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository, type EntityManager } from 'typeorm';
import { AccountId, ApiErrors, type ApiError } from '@postmesh/contracts';
import type { ApiCall } from '@postmesh/service-host';
import { AccountEntity, type AccountColumns } from './account.entity.js';

/** A reference to an account: any by its id, or a child of the caller's. Deleted ones do not exist. */
export interface AccountRef {
  readonly id: AccountId;
  readonly parentId?: AccountId;
}

/** 404 for a child of another account, an unknown one and a deleted one alike (spec 1-platform §10.1 rule 4). */
export const accountNotFound = ({ parentId }: AccountRef): ApiError =>
  ApiErrors.notFound(parentId === undefined ? 'account' : 'sub account');

/** The child in the path, else the caller's own account. */
export const accountRefOf = (call: ApiCall): AccountRef =>
  call.param('sub_account_id') === ''
    ? { id: call.accountId }
    : { id: AccountId.parse(call.uuidParam('sub_account_id')), parentId: call.accountId };

/** `@Call(accountRef) ref` */
export const accountRef: PipeTransform<ApiCall, AccountRef> = { transform: accountRefOf };

// Mail is scheduled up to 7 days ahead and retried for one: accounts deleted earlier have no unsent messages.
const NOT_ACTIVE = `coalesce(account.suspended_at, account.blocked_at, parent.suspended_at, parent.blocked_at,
    account.deleted_at) is not null
  and (account.deleted_at is null or account.deleted_at > now() - interval '9 days')`;

@Injectable()
export class AccountsRepository {
  constructor(@InjectRepository(AccountEntity) private readonly accounts: Repository<AccountEntity>) {}

  /** @throws ApiError 404 */
  async get(ref: AccountRef): Promise<AccountEntity> {
    const account = await this.accounts.findOneBy(existing(ref));
    if (!account) throw accountNotFound(ref);
    return account;
  }

  /**
   * Locks the account for the rest of the transaction: other changes of the account, its keys or
   * their scopes wait.
   * @throws ApiError 404
   */
  async lock(manager: EntityManager, ref: AccountRef): Promise<AccountEntity> {
    const account = await this.lockIfThere(manager, ref);
    if (!account) throw accountNotFound(ref);
    return account;
  }

  /** Like `lock`; undefined when there is no such account. */
  async lockIfThere(manager: EntityManager, ref: AccountRef): Promise<AccountEntity | undefined> {
    // by its id alone: a concurrent change is visible only under the lock, so other conditions are checked after it
    const where = { id: ref.id };
    const account = await manager.findOne(AccountEntity, { where, lock: { mode: 'for_no_key_update' } });
    if (!account || account.deletedAt !== null) return undefined;
    return ref.parentId === undefined || ref.parentId === account.parentAccountId ? account : undefined;
  }

  /** Locks the sub-accounts that are not deleted, after the lock of their parent. */
  lockChildren(manager: EntityManager, parentId: AccountId): Promise<AccountEntity[]> {
    return manager.find(AccountEntity, {
      where: { parentAccountId: parentId, deletedAt: IsNull() },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** The parent of a sub-account, deleted or not. */
  async parentOf(manager: EntityManager, account: AccountEntity): Promise<AccountEntity | undefined> {
    if (account.parentAccountId === null) return undefined;
    return (await manager.findOneBy(AccountEntity, { id: account.parentAccountId })) ?? undefined;
  }

  /** Accounts that may not send, with their parents, by id. */
  notActiveAfter(after: string, limit: number): Promise<AccountEntity[]> {
    return this.accounts
      .createQueryBuilder('account')
      .leftJoinAndSelect('account.parent', 'parent')
      .where('account.id > :after', { after })
      .andWhere(NOT_ACTIVE)
      .orderBy('account.id')
      .limit(limit)
      .getMany();
  }

  /** Updates one or several accounts, locked by the caller, in one statement. @returns the new rows */
  async update(
    manager: EntityManager,
    accounts: readonly AccountEntity[],
    columns: Partial<AccountColumns>,
  ): Promise<AccountEntity[]> {
    await manager
      .createQueryBuilder()
      .update(AccountEntity)
      .set({ ...columns, revision: () => 'revision + 1' })
      .where('id = any(:ids::uuid[])', { ids: accounts.map(({ id }) => id) })
      .execute();
    return accounts.map((account) => ({ ...account, ...columns, revision: account.revision + 1 }));
  }
}

const existing = ({ id, parentId }: AccountRef) => ({
  id,
  deletedAt: IsNull(),
  ...(parentId === undefined ? {} : { parentAccountId: parentId }),
});
