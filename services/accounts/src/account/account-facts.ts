import type { AccountFacts } from '@postmesh/contracts';
import type { KnownKey } from '@postmesh/accounts-contract';
import { accountState, type StateColumns } from './account-state.rules.js';

/**
 * The facts of the account behind a secret in every look-up of gateways: columns of `account` and of `parent`,
 * which `FACT_JOINS` adds. Sub-accounts use their parent's partner flag (spec 1-platform §10.1). A credit is at most
 * 10^9.
 */
export const FACT_COLUMNS = `
    json_build_object('platform_partner', coalesce(parent.platform_partner, account.platform_partner),
      'track_opens', account.track_opens, 'track_clicks', account.track_clicks,
      'reject_bad_recipients', account.reject_bad_recipients,
      'reject_mistyped_recipients', account.reject_mistyped_recipients,
      'message_metadata_retention', account.message_metadata_retention,
      'message_data_retention', account.message_data_retention) as facts,
    account.id as "accountId",
    account.suspended_at as "suspendedAt", account.blocked_at as "blockedAt", account.deleted_at as "deletedAt",
    account.monthly_credit::int as "monthlyCredit", account.rate_limits as "rateLimits",
    parent.id as "parentId", parent.monthly_credit::int as "parentMonthlyCredit",
    parent.suspended_at as "parentSuspendedAt", parent.blocked_at as "parentBlockedAt",
    parent.deleted_at as "parentDeletedAt"`;

/** @param of SQL expression with the id of the account */
export const factJoins = (of: string): string => `left join accounts account on account.id = ${of}
  left join accounts parent on parent.id = account.parent_account_id`;

export interface FactRow extends StateColumns {
  accountId: string;
  /** copied into the principal unchanged */
  facts: Partial<AccountFacts>;
  monthlyCredit: number;
  rateLimits: KnownKey['rate_limits'];
  parentId: string | null;
  parentMonthlyCredit: number;
  parentSuspendedAt: Date | null;
  parentBlockedAt: Date | null;
  parentDeletedAt: Date | null;
}

export interface KnownAccount {
  /** blocked by the operator: nothing is accepted from it (spec 1-platform §2.5) */
  blocked: boolean;
  /** parsed as part of its response */
  facts: object;
}

/** @returns undefined for a deleted account, and for a child of one */
export function knownAccount(row: FactRow): KnownAccount | undefined {
  const parent = {
    suspendedAt: row.parentSuspendedAt,
    blockedAt: row.parentBlockedAt,
    deletedAt: row.parentDeletedAt,
  };
  const state = accountState(row, parent);
  if (state === 'deleted') return undefined;
  const blocked = state === 'blocked';
  // a principal of a blocked account, if there ever is one, may not send either
  const status = blocked ? 'suspended' : state;
  return { blocked, facts: { ...row.facts, status, parent_account_id: row.parentId, ...creditOf(row) } };
}

/** A child has a cap of its own; a top-level account shares its credit with its children (§10.4 rule 7). */
function creditOf(row: FactRow): Pick<AccountFacts, 'monthly_credit' | 'credit_pool'> {
  const isChild = row.parentId !== null;
  const shared = isChild ? row.parentMonthlyCredit : row.monthlyCredit;
  const pool = { account_id: row.parentId ?? row.accountId, monthly_credit: shared };
  return {
    monthly_credit: isChild ? row.monthlyCredit : 0,
    credit_pool: shared > 0 ? pool : null,
  };
}
