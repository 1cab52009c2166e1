import type { EntityManager } from 'typeorm';
import { ApiError, ApiErrors, type AccountId } from '@postmesh/contracts';
import type { Decide } from '../account/change-account.js';
import { MemberEntity, UserEntity } from '../members/people.js';

/**
 * Gives an account, with its sub-accounts, to another of its members.
 * @param email normalised address of the member
 * @throws ApiError 400 for a sub-account, 404 `member not found`
 */
export const transferOwnership =
  (email: string): Decide =>
  async (account, now, manager) => {
    if (account.parentAccountId !== null) {
      throw new ApiError(400, 'a sub account has the owner of its parent: transfer that one');
    }
    const { accountId, userId } = await memberOf(manager, account.id, email);
    if (userId === account.ownerId) return undefined;
    // the owner of an account is an Administrator; the previous owner stays one
    await manager.update(MemberEntity, { accountId, userId }, { role: 'Administrator', updatedAt: now });
    const columns = { ownerId: userId };
    return {
      action: 'account.transfer',
      subjectId: userId,
      columns,
      details: { before: { owner_id: account.ownerId }, after: { owner_id: userId } },
      children: { columns },
      // sessions of both owners have to see it
      reach: 'family',
    };
  };

async function memberOf(manager: EntityManager, accountId: AccountId, email: string): Promise<MemberEntity> {
  const user = await manager.findOneBy(UserEntity, { email });
  const member = user && (await manager.findOneBy(MemberEntity, { accountId, userId: user.id }));
  if (!member) throw ApiErrors.notFound('member');
  return member;
}
