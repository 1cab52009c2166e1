import { Injectable } from '@nestjs/common';
import { ApiError, ApiErrors, type AccountId } from '@postmesh/contracts';
import type { EntityManager } from 'typeorm';
import { ChangeAccount } from '../account/change-account.js';
import type { Actor } from '../audit/audit-log.js';
import { MemberEntity } from '../members/member.entity.js';
import { UserEntity } from '../members/users.js';

export interface TransferOwnershipCommand {
  accountId: AccountId;
  /** normalised address of a member */
  email: string;
  actor: Actor;
}

/** Gives an account, with its sub-accounts, to another of its members. */
@Injectable()
export class TransferOwnership {
  constructor(private readonly changeAccount: ChangeAccount) {}

  /** @throws ApiError 400 for a sub-account, 404 `account not found`, `member not found` */
  async execute({ accountId, email, actor }: TransferOwnershipCommand): Promise<void> {
    await this.changeAccount.execute({ id: accountId }, actor, async (account, now, manager) => {
      if (account.parentAccountId !== null) {
        throw new ApiError(400, 'a sub account has the owner of its parent: transfer that one');
      }
      const { userId } = await memberOf(manager, accountId, email);
      if (userId === account.ownerId) return undefined;
      // the owner of an account is an Administrator; the one before stays one
      const role = 'Administrator';
      await manager.update(MemberEntity, { accountId, userId }, { role, updatedAt: now });
      const columns = { ownerId: userId };
      return {
        action: 'account.transfer',
        subjectId: userId,
        columns,
        details: { before: { owner_id: account.ownerId }, after: { owner_id: userId } },
        children: { columns },
        reach: 'nobody',
      };
    });
  }
}

async function memberOf(manager: EntityManager, accountId: AccountId, email: string): Promise<MemberEntity> {
  const user = await manager.findOneBy(UserEntity, { email });
  const member = user && (await manager.findOneBy(MemberEntity, { accountId, userId: user.id }));
  if (!member) throw ApiErrors.notFound('member');
  return member;
}
