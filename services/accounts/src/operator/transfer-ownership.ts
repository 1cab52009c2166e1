import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, ApiErrors } from '@postmesh/contracts';
import { AccountsRepository } from '../account/accounts.repository.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { MemberEntity, UserEntity, type AccountEntity } from '../database/entities/index.js';

export interface OwnershipOrder {
  accountId: string;
  /** normalised address of a member */
  email: string;
  actor: Actor;
}

/** Gives an account, with its sub-accounts, to another of its members. */
@Injectable()
export class TransferOwnership {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ApiError 400 for a sub-account, 404 `account not found`, `member not found` */
  execute(order: OwnershipOrder): Promise<void> {
    return this.dataSource.transaction(async (manager) => {
      const account = await this.accounts.lock(manager, order.accountId);
      if (!account) throw ApiErrors.notFound('account');
      if (account.parentAccountId !== null) {
        throw new ApiError(400, 'a sub account has the owner of its parent: transfer that one');
      }
      const member = await this.memberOf(manager, order);
      if (member.userId !== account.ownerId) await this.give(manager, account, member.userId, order.actor);
    });
  }

  private async memberOf(manager: EntityManager, order: OwnershipOrder): Promise<MemberEntity> {
    const { accountId, email } = order;
    const user = await manager.findOneBy(UserEntity, { email });
    const member = user && (await manager.findOneBy(MemberEntity, { accountId, userId: user.id }));
    if (!member) throw ApiErrors.notFound('member');
    return member;
  }

  /** The owner of an account is an Administrator; the one before stays one. */
  private async give(
    manager: EntityManager,
    account: AccountEntity,
    userId: string,
    actor: Actor,
  ): Promise<void> {
    const now = new Date();
    const children = await this.accounts.lockChildren(manager, account.id);
    await manager.query(
      `update accounts set owner_id = $2, updated_at = $3, revision = revision + 1
       where id = any($1::uuid[])`,
      [[account.id, ...children.map(({ id }) => id)], userId, now],
    );
    const role = 'Administrator' as const;
    await manager.update(MemberEntity, { accountId: account.id, userId }, { role, updatedAt: now });
    await this.audit.record(manager, {
      actor,
      action: 'account.transfer',
      accountId: account.id,
      subjectId: userId,
      details: { before: { owner_id: account.ownerId }, after: { owner_id: userId } },
    });
  }
}
