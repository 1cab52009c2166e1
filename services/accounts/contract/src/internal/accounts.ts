import { z } from 'zod';
import { AccountFacts, AccountId } from '@postmesh/contracts';
import { AccountChanged } from '../events/account-changed.v1.js';

/**
 * `GET /internal/account-states?after=<account_id>` of the accounts service: accounts that may not send, in the
 * order of their ids. Deleted ones are included while they can have unsent messages.
 */
export const AccountStatesPage = z.object({
  accounts: z.array(AccountChanged.schema),
  /** where the next page begins; null at the end */
  next: z.uuid().nullable(),
});
export type AccountStatesPage = z.infer<typeof AccountStatesPage>;

/** `POST /internal/account-facts` of the accounts service: for work without a request that carries a principal. */
export const AccountFactsRequest = z.object({ account_ids: z.array(AccountId).max(1_000) });
export type AccountFactsRequest = z.infer<typeof AccountFactsRequest>;

export const KnownAccounts = z.object({
  /** deleted accounts are left out; accounts blocked by the operator are suspended here */
  accounts: z.array(z.object({ account_id: AccountId, account: AccountFacts })),
});
export type KnownAccounts = z.infer<typeof KnownAccounts>;

/** `GET /internal/accounts/{account_id}/sub-accounts/{sub_account_id}` of the accounts service; 404 when the account has no such child. */
export const KnownSubAccount = z.object({ account_id: z.uuid(), parent_account_id: z.uuid() });
export type KnownSubAccount = z.infer<typeof KnownSubAccount>;

/**
 * `POST /internal/audit` of the accounts service: the action of an operator, or of a member in the console, in a service
 * without an audit of its own.
 */
export const AuditNote = z.object({
  /** `operator` or the name of the operator token; empty for an action of a member */
  operator: z.string().max(64),
  /** the id of the user; missing for an action of an operator */
  member: z.uuid().optional(),
  /** e.g. `PUT domains/accounts/{account_id}/settings` */
  action: z.string().min(1).max(200),
  account_id: z.uuid().nullable(),
  subject_id: z.string().max(200).nullable(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditNote = z.infer<typeof AuditNote>;

/**
 * `POST /internal/audit/keys` of the accounts service: a change of the configuration by an API key, in a service without an
 * audit of its own.
 */
export const KeyAuditNote = z.object({
  key_id: z.uuid(),
  /** the operation, e.g. `domains.create` */
  action: z.string().min(1).max(200),
  account_id: z.uuid(),
  subject_id: z.string().max(200).nullable(),
});
export type KeyAuditNote = z.infer<typeof KeyAuditNote>;

/** `id` is null for an action beyond the bound of the account and day, which has no entry. */
export const KeyAuditNoteResponse = z.object({ id: z.uuid().nullable() });
export type KeyAuditNoteResponse = z.infer<typeof KeyAuditNoteResponse>;

/** The audit entry; the outcome of the action follows with `POST /internal/audit/{id}/outcome`. */
export const AuditNoteResponse = z.object({ id: z.uuid() });
export type AuditNoteResponse = z.infer<typeof AuditNoteResponse>;

/** The HTTP status of the action's response. Until it is known the entry has `status: null` in its details. */
export const AuditOutcome = z.object({ status: z.number().int().min(100).max(599) });
export type AuditOutcome = z.infer<typeof AuditOutcome>;
