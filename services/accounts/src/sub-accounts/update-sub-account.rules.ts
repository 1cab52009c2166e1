import { ApiErrors } from '@postmesh/contracts';
import type { AccountEntity } from '../database/entities/index.js';
import type { UpdateSubAccountBody } from './sub-account.schema.js';

type Columns = Pick<AccountEntity, 'name' | 'website' | 'monthlyCredit'>;

/** @throws ApiError 400 when nothing but null is given (spec 1-platform §9) */
export function refuseEmptyUpdate(input: UpdateSubAccountBody): void {
  if (Object.values(input).every((value) => value === null || value === undefined)) {
    throw ApiErrors.nothingGiven();
  }
}

/**
 * @returns the child's columns after the update
 * @throws ApiError 400 when none of them differs
 */
export function updated(child: Columns, input: UpdateSubAccountBody): Columns {
  const columns = {
    name: input.name ?? child.name,
    website: input.website ?? child.website,
    monthlyCredit: input.monthly_credit ?? child.monthlyCredit,
  };
  const same =
    columns.name === child.name &&
    columns.website === child.website &&
    columns.monthlyCredit === child.monthlyCredit;
  if (same) throw ApiErrors.nothingChanges();
  return columns;
}
