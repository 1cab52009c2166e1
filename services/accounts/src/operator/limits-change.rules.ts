import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@postmesh/contracts';
import type { AccountEntity } from '../account/account.entity.js';
import type { AccountChange, Decide } from '../account/change-account.js';
import type { OperatorUpdateAccountBody } from './operator.schema.js';

type RateLimits = AccountEntity['rateLimits'];
type Columns = Pick<AccountEntity, 'name' | 'platformPartner' | 'monthlyCredit' | 'rateLimits'>;

const FIELDS = [
  ['name', 'name'],
  ['platform_partner', 'platformPartner'],
  ['monthly_credit', 'monthlyCredit'],
  ['rate_limits', 'rateLimits'],
] as const satisfies readonly (readonly [string, keyof Columns])[];

/** Changes flags and limits of an account, in effect for the next request on any gateway, also of its sub-accounts. */
export const changeLimits =
  (input: OperatorUpdateAccountBody): Decide =>
  (account) =>
    limitsChange(account, input);

/**
 * The columns of an operator's change; fields that are left out stay.
 * @returns undefined when nothing differs
 * @throws ApiError 400 for a field that a sub-account has from its parent
 */
export function limitsChange(
  account: Columns & Pick<AccountEntity, 'parentAccountId'>,
  input: OperatorUpdateAccountBody,
): AccountChange | undefined {
  if (input.platform_partner !== undefined && account.parentAccountId !== null) {
    throw new ApiError(400, 'platform_partner is that of the parent account: set it there');
  }
  const wanted = { ...input, rate_limits: rateLimits(account.rateLimits, input.rate_limits) };
  const changed = FIELDS.filter(
    ([field, column]) => wanted[field] !== undefined && !isDeepStrictEqual(wanted[field], account[column]),
  );
  if (changed.length === 0) return undefined;
  return {
    action: 'account.update',
    columns: Object.fromEntries(changed.map(([field, column]) => [column, wanted[field]])),
    details: {
      before: Object.fromEntries(changed.map(([field, column]) => [field, account[column]])),
      after: Object.fromEntries(changed.map(([field]) => [field, wanted[field]])),
    },
    reach: reachOf(changed.map(([field]) => field)),
  };
}

/** null = the limits of the settings; a rate that is left out stays. */
function rateLimits(
  now: RateLimits,
  input: OperatorUpdateAccountBody['rate_limits'],
): RateLimits | undefined {
  if (input === undefined || input === null) return input;
  const general = input.general === undefined ? (now?.general ?? null) : input.general;
  const statistics = input.statistics === undefined ? (now?.statistics ?? null) : input.statistics;
  return general === null && statistics === null ? null : { general, statistics };
}

/** Sub-accounts share only the flag and the pool of their parent. */
function reachOf(fields: readonly (typeof FIELDS)[number][0][]): AccountChange['reach'] {
  if (fields.includes('platform_partner') || fields.includes('monthly_credit')) return 'family';
  return fields.includes('rate_limits') ? 'itself' : 'none';
}
