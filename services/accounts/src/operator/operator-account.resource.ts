import { accountState } from '../account/account-state.rules.js';
import { accountResource } from '../account/account.resource.js';
import type { AccountEntity } from '../database/entities/index.js';

export interface AccountSurroundings {
  parent: AccountEntity | undefined;
  ownerEmail: string;
}

/** An account as the operator sees it. */
export function operatorAccount(account: AccountEntity, { parent, ownerEmail }: AccountSurroundings) {
  return {
    ...accountResource(account),
    owner_email: ownerEmail,
    state: accountState(account, parent),
    suspended_at: account.suspendedAt?.toISOString() ?? null,
    suspended_by: account.suspendedBy,
    suspension_reason: account.suspensionReason,
    blocked_at: account.blockedAt?.toISOString() ?? null,
    block_reason: account.blockReason,
    deleted_at: account.deletedAt?.toISOString() ?? null,
    // a sub-account has its parent's (spec 1-platform §10.1)
    platform_partner: (parent ?? account).platformPartner,
    monthly_credit: account.monthlyCredit,
    credit_pool: creditPool(parent ?? account),
    rate_limits: account.rateLimits,
  };
}

/** What a family may send together in a month (spec 1-platform §10.4 rule 7); null = without a cap. */
function creditPool({ id, monthlyCredit }: AccountEntity) {
  return monthlyCredit > 0 ? { account_id: id, monthly_credit: monthlyCredit } : null;
}

export interface MemberRow {
  user_id: string;
  email: string;
  name: string;
  role: string;
  created_at: Date;
  is_owner: boolean;
}

/** A member as the operator sees it: with address and name, which the API does not tell. */
export function operatorMember(row: MemberRow) {
  return {
    user_id: row.user_id,
    email: row.email,
    name: row.name,
    role: row.role,
    owner: row.is_owner,
    created_at: row.created_at.toISOString(),
  };
}
