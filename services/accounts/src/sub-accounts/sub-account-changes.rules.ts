import { ApiError, ApiErrors } from '@postmesh/contracts';
import type { AccountEntity } from '../account/account.entity.js';
import type { Decide } from '../account/change-account.js';
import type { UpdateSubAccountBody } from './sub-account.schema.js';

export const PAUSED_BY_OPERATOR = () =>
  new ApiError(403, 'this sub account was paused by the service operator');

/** A parent's update of a child (spec 1-platform §10.3). */
export const updateChild =
  (input: UpdateSubAccountBody): Decide =>
  (child) => {
    const columns = updated(child, input);
    const { name, website, monthlyCredit: monthly_credit } = columns;
    return { action: 'account.update', columns, details: { name, website, monthly_credit }, reach: 'itself' };
  };

/** A parent pauses a child: the first reason stays (spec 1-platform §10.4 rule 1). */
export const suspendChild =
  (reason: string): Decide =>
  (child, now) => {
    const columns = suspension(child, reason, now);
    return columns && { action: 'account.suspend', columns, details: { reason }, reach: 'itself' };
  };

/** A parent ends its own pause of a child (spec 1-platform §10.4 rule 2). */
export const unsuspendChild = (): Decide => (child) => {
  const columns = resumption(child);
  return columns && { action: 'account.resume', columns, details: {}, reach: 'itself' };
};

/** @throws ApiError 400 when nothing but null is given (spec 1-platform §9) */
export function refuseEmptyUpdate(input: UpdateSubAccountBody): void {
  if (Object.values(input).every((value) => value === null || value === undefined)) {
    throw ApiErrors.nothingGiven();
  }
}

type Described = Pick<AccountEntity, 'name' | 'website' | 'monthlyCredit'>;

/**
 * @returns the child's columns after the update
 * @throws ApiError 400 when none of them differs
 */
export function updated(child: Described, input: UpdateSubAccountBody): Described {
  const { name, website, monthlyCredit } = child;
  const after = {
    name: input.name ?? name,
    website: input.website ?? website,
    monthlyCredit: input.monthly_credit ?? monthlyCredit,
  };
  if (after.name === name && after.website === website && after.monthlyCredit === monthlyCredit) {
    throw ApiErrors.nothingChanges();
  }
  return after;
}

type Suspension = Pick<AccountEntity, 'suspendedAt' | 'suspendedBy' | 'suspensionReason'>;

/** @returns the changed columns; undefined when it is suspended already */
export function suspension(child: Suspension, reason: string, now: Date): Suspension | undefined {
  return child.suspendedAt
    ? undefined
    : { suspendedAt: now, suspendedBy: 'parent', suspensionReason: reason };
}

/**
 * @returns the columns that change; undefined when it is not suspended
 * @throws ApiError 403 for a suspension by the operator
 */
export function resumption(child: Suspension & Pick<AccountEntity, 'blockedAt'>): Suspension | undefined {
  if (child.suspendedBy === 'operator' || child.blockedAt) throw PAUSED_BY_OPERATOR();
  return child.suspendedAt ? { suspendedAt: null, suspendedBy: null, suspensionReason: null } : undefined;
}
