import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@postmesh/contracts';
import type { AccountEntity } from '../database/entities/index.js';
import type { OperatorUpdateAccountBody } from './operator.schema.js';

type RateLimits = AccountEntity['rateLimits'];
type Columns = Pick<AccountEntity, 'name' | 'platformPartner' | 'monthlyCredit' | 'rateLimits'>;

/** What differs, by the names of the interface. */
export interface LimitsChange {
  columns: Partial<Columns>;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  /** who must be looked up anew at the gateways */
  concerns: 'nobody' | 'itself' | 'itself and its sub-accounts';
}

const FIELDS = [
  ['name', 'name'],
  ['platform_partner', 'platformPartner'],
  ['monthly_credit', 'monthlyCredit'],
  ['rate_limits', 'rateLimits'],
] as const satisfies readonly (readonly [string, keyof Columns])[];

/**
 * What an operator's wish changes; what is not named stays.
 * @returns undefined when everything is so already
 * @throws ApiError 400 for what a sub-account has from its parent
 */
export function limitsChange(
  account: Columns & Pick<AccountEntity, 'parentAccountId'>,
  wish: OperatorUpdateAccountBody,
): LimitsChange | undefined {
  if (wish.platform_partner !== undefined && account.parentAccountId !== null) {
    throw new ApiError(400, 'platform_partner is that of the parent account: set it there');
  }
  const wanted = { ...wish, rate_limits: rateLimits(account.rateLimits, wish.rate_limits) };
  const changed = FIELDS.filter(
    ([field, column]) => wanted[field] !== undefined && !isDeepStrictEqual(wanted[field], account[column]),
  );
  if (changed.length === 0) return undefined;
  return {
    columns: Object.fromEntries(changed.map(([field, column]) => [column, wanted[field]])),
    before: Object.fromEntries(changed.map(([field, column]) => [field, account[column]])),
    after: Object.fromEntries(changed.map(([field]) => [field, wanted[field]])),
    concerns: concerned(changed.map(([field]) => field)),
  };
}

/** null = those of the settings; the one of the two that is not named stays. */
function rateLimits(now: RateLimits, wish: OperatorUpdateAccountBody['rate_limits']): RateLimits | undefined {
  if (wish === undefined || wish === null) return wish;
  const general = wish.general === undefined ? (now?.general ?? null) : wish.general;
  const statistics = wish.statistics === undefined ? (now?.statistics ?? null) : wish.statistics;
  return general === null && statistics === null ? null : { general, statistics };
}

/** A sub-account shares its parent's flag and pool, and nothing else. */
function concerned(fields: readonly (typeof FIELDS)[number][0][]): LimitsChange['concerns'] {
  if (fields.includes('platform_partner') || fields.includes('monthly_credit')) {
    return 'itself and its sub-accounts';
  }
  return fields.includes('rate_limits') ? 'itself' : 'nobody';
}
