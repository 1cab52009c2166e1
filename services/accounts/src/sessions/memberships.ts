import type { EntityManager } from 'typeorm';
import type { AccountId, MemberRole, UserId } from '@postmesh/contracts';

/** An account that a user may enter. */
export interface Membership {
  readonly id: AccountId;
  readonly name: string;
  readonly parentAccountId: AccountId | null;
  readonly role: MemberRole;
}

// A menu of accounts; who owns more sub-accounts reaches the others by their ids.
const MAX_LISTED = 1_000;

/**
 * SQL of the role of a user in an account; null: none. The owner is an Administrator, also of sub-accounts, where the
 * owner is no member (spec 1-platform §10.3).
 * @param user SQL expression of the user's id
 */
export const roleSql = (user: string): string =>
  `case when account.owner_id = ${user} then 'Administrator' else member.role end`;

const ACCOUNTS = `select account.id, account.name, account.parent_account_id as "parentAccountId", ${roleSql('$1')} as role
  from accounts account
  left join members member on member.account_id = account.id and member.user_id = $1
  where account.deleted_at is null and (account.owner_id = $1 or member.user_id is not null)
    and account.id = any(array(select account_id from members where user_id = $1
                               union select id from accounts where owner_id = $1))`;

/** The accounts of a user: top-level ones first, then the oldest; blocked ones last, as a sign-in begins in the first. */
export const membershipsOf = (manager: EntityManager, userId: UserId): Promise<Membership[]> =>
  manager.query(
    `${ACCOUNTS} order by account.blocked_at is not null, account.parent_account_id is not null, account.created_at, account.id limit ${MAX_LISTED}`,
    [userId],
  );

/** @returns undefined when the user is no member of it, or it was deleted */
export async function membershipIn(
  manager: EntityManager,
  userId: UserId,
  accountId: AccountId,
): Promise<Membership | undefined> {
  const [found]: Membership[] = await manager.query(`${ACCOUNTS} and account.id = $2`, [userId, accountId]);
  return found;
}
