import { z } from 'zod';
import { ApiError, ApiErrors, Uuid } from '@postmesh/contracts';
import type { Sql } from '@postmesh/http';
import { ACCOUNT_STATES, type AccountState } from '../account/account-state.rules.js';

type Query = Readonly<Record<string, unknown>>;

// Postgres reads no NUL, and no name has control characters
const Search = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}*$/u);
const State = z.enum(ACCOUNT_STATES);

/** `accountState` of a row in SQL, for filters of a list: the gravest first. */
const STATES: readonly (readonly [condition: string, state: AccountState])[] = [
  ['account.deleted_at is not null or parent.deleted_at is not null', 'deleted'],
  ['account.blocked_at is not null or parent.blocked_at is not null', 'blocked'],
  ['account.suspended_at is not null', 'suspended'],
  ['parent.suspended_at is not null', 'parent-suspended'],
];
const STATE = `case ${STATES.map(([when, state]) => `when ${when} then '${state}'`).join(' ')} else 'active' end`;

const ACCOUNTS = `select account.id, account.created_at from accounts account
  join users owner on owner.id = account.owner_id
  left join accounts parent on parent.id = account.parent_account_id`;

/**
 * The accounts of a query: `state` (all but deleted ones when left out), `parent` (an id, or `none` for
 * top-level accounts), `search` in the name and in the owner's address.
 * @throws ApiError 400
 */
export function accountList(query: Query): Sql {
  const parameters: unknown[] = [];
  const place = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = [stateCondition(query['state'], place)];
  if (query['parent'] !== undefined) conditions.push(parentCondition(query['parent'], place));
  if (query['search'] !== undefined) conditions.push(searchCondition(query['search'], place));
  return { text: `${ACCOUNTS} where ${conditions.join(' and ')}`, parameters };
}

type Place = (value: unknown) => string;

function stateCondition(value: unknown, place: Place): string {
  if (value === undefined) return `${STATE} <> 'deleted'`;
  const state = State.safeParse(value);
  if (!state.success) throw new ApiError(400, `state must be one of: ${ACCOUNT_STATES.join(', ')}`);
  return `${STATE} = ${place(state.data)}`;
}

function parentCondition(value: unknown, place: Place): string {
  if (value === 'none') return 'account.parent_account_id is null';
  const parent = Uuid.safeParse(value);
  if (!parent.success) throw ApiErrors.invalidParameter('parent');
  return `account.parent_account_id = ${place(parent.data)}::uuid`;
}

function searchCondition(value: unknown, place: Place): string {
  const search = Search.safeParse(value);
  if (!search.success) throw new ApiError(400, 'search must be 1 to 255 characters');
  const words = place(search.data.toLowerCase());
  return `(position(${words} in lower(account.name)) > 0 or position(${words} in owner.email) > 0)`;
}
