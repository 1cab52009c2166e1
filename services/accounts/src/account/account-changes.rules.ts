import type { AccountChange, Decide } from './change-account.js';
import type { AccountColumns, AccountEntity } from './account.entity.js';
import type { UpdateAccountBody } from './account.schema.js';

type Field = keyof UpdateAccountBody;

const COLUMNS = {
  name: 'name',
  website: 'website',
  about: 'about',
  track_opens: 'trackOpens',
  track_clicks: 'trackClicks',
  reject_bad_recipients: 'rejectBadRecipients',
  reject_mistyped_recipients: 'rejectMistypedRecipients',
  message_metadata_retention: 'messageMetadataRetention',
  message_data_retention: 'messageDataRetention',
} as const satisfies Record<Field, keyof AccountColumns>;

// All other fields are facts that gateways cache and send to services with every request.
const NO_FACTS: readonly Field[] = ['name', 'website', 'about'];

/** The fields of a request that differ from the account (spec 1-platform §7 rule 1). */
export const updateAccount =
  (input: UpdateAccountBody): Decide =>
  (account) => {
    const fields = Object.keys(COLUMNS) as Field[];
    const changed = fields.filter(
      (name) => (input[name] ?? account[COLUMNS[name]]) !== account[COLUMNS[name]],
    );
    if (changed.length === 0) return undefined;
    return {
      action: 'account.update',
      columns: Object.fromEntries(changed.map((name) => [COLUMNS[name], input[name]])),
      details: Object.fromEntries(changed.map((name) => [name, input[name]])),
      reach: changed.every((name) => NO_FACTS.includes(name)) ? 'none' : 'itself',
    };
  };

/** Operator actions on an account (spec 1-platform §2.5). */
export type StateAction = 'suspend' | 'resume' | 'block' | 'unblock';

/** @param reason `''` for `resume` and `unblock` */
export const changeState =
  (action: StateAction, reason = ''): Decide =>
  (account, now) => {
    const columns = stateChange(account, action, reason, now);
    const details = reason === '' ? {} : { reason };
    return columns && { action: `account.${action}`, columns, details, reach: 'family' };
  };

type Suspension = Pick<
  AccountEntity,
  'suspendedAt' | 'suspendedBy' | 'suspensionReason' | 'parentSuspension' | 'blockedAt' | 'blockReason'
>;

/** @returns the columns that change; undefined when the account is in that state already */
export function stateChange(
  account: Suspension,
  action: StateAction,
  reason: string,
  now: Date,
): Partial<Suspension> | undefined {
  switch (action) {
    case 'suspend':
      return account.suspendedBy === 'operator' ? undefined : suspension(account, reason, now);
    case 'resume':
      return account.suspendedAt ? resumption(account) : undefined;
    case 'block':
      return account.blockedAt ? undefined : { blockedAt: now, blockReason: reason };
    case 'unblock':
      return account.blockedAt ? { blockedAt: null, blockReason: null } : undefined;
  }
}

/** A suspension by the operator replaces one by the parent, which cannot lift it; the parent's is stored for later. */
function suspension(account: Suspension, reason: string, now: Date): Partial<Suspension> {
  const { suspendedAt, suspensionReason } = account;
  return {
    suspendedAt: now,
    suspendedBy: 'operator',
    suspensionReason: reason,
    parentSuspension: suspendedAt && { at: suspendedAt.toISOString(), reason: suspensionReason ?? '' },
  };
}

/** An account that its parent had suspended before stays suspended by the parent. */
function resumption({ parentSuspension: kept }: Suspension): Partial<Suspension> {
  return {
    suspendedAt: kept && new Date(kept.at),
    suspendedBy: kept && 'parent',
    suspensionReason: kept && kept.reason,
    parentSuspension: null,
  };
}

/**
 * Soft-deletes an account with its sub-accounts (spec 1-platform §10.4 rule 5): their keys are rejected from
 * then on, and the other services delete their data after the event.
 * @param reason `''` when there is none to record
 */
export const deleteAccount =
  (reason = ''): Decide =>
  (account, now): AccountChange => {
    const columns = { deletedAt: now };
    const details = reason === '' ? {} : { reason };
    const children = { columns, details: { ...details, with_parent: account.id } };
    return { action: 'account.delete', columns, details, children, reach: 'family' };
  };
