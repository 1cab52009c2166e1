import { subAccountStatus } from './sub-account-status.rules.js';
import type { SubAccountResource } from './sub-account.schema.js';

/** A child as it is read, with what its parent does to its state. */
export interface SubAccountRow {
  id: string;
  parent_account_id: string;
  created_at: Date;
  name: string;
  website: string;
  /** bigint */
  monthly_credit: string;
  member_count: number;
  suspended_at: Date | null;
  blocked_at: Date | null;
  deleted_at: Date | null;
  parent_suspended_at: Date | null;
  parent_blocked_at: Date | null;
  parent_deleted_at: Date | null;
}

/** What other services know of a child. */
export interface SubAccountFigures {
  domainCount: number;
  lastActivityAt: string | null;
}

/** Of a child that has just been made. */
export const NO_FIGURES: SubAccountFigures = { domainCount: 0, lastActivityAt: null };

export function subAccountResource(row: SubAccountRow, figures: SubAccountFigures): SubAccountResource {
  return {
    object: 'sub_account',
    id: row.id,
    parent_account_id: row.parent_account_id,
    created_at: row.created_at.toISOString(),
    name: row.name,
    website: row.website,
    status: statusOf(row),
    monthly_credit: Number(row.monthly_credit),
    domain_count: figures.domainCount,
    member_count: row.member_count,
    last_activity_at: figures.lastActivityAt,
  };
}

const statusOf = (row: SubAccountRow) =>
  subAccountStatus(
    { suspendedAt: row.suspended_at, blockedAt: row.blocked_at, deletedAt: row.deleted_at },
    {
      suspendedAt: row.parent_suspended_at,
      blockedAt: row.parent_blocked_at,
      deletedAt: row.parent_deleted_at,
    },
  );
