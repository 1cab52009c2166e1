import { accountState } from '../account/account-state.rules.js';
import { accountResource } from '../account/account.resource.js';
import type { AccountEntity, AuditEntryEntity } from '../database/entities/index.js';

/** An account as the operator sees it. */
export function operatorAccount(account: AccountEntity, parent: AccountEntity | undefined) {
  return {
    ...accountResource(account),
    state: accountState(account, parent),
    suspended_at: account.suspendedAt?.toISOString() ?? null,
    suspended_by: account.suspendedBy,
    suspension_reason: account.suspensionReason,
    blocked_at: account.blockedAt?.toISOString() ?? null,
    block_reason: account.blockReason,
    platform_partner: account.platformPartner,
  };
}

export function auditEntry(entry: AuditEntryEntity) {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    actor: entry.actorId === null ? entry.actorKind : `${entry.actorKind} ${entry.actorId}`,
    action: entry.action,
    account_id: entry.accountId,
    subject_id: entry.subjectId,
    details: entry.details,
  };
}
