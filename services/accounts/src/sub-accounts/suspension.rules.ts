import { ApiError } from '@postmesh/contracts';
import type { AccountEntity } from '../database/entities/index.js';

export const PAUSED_BY_OPERATOR = () =>
  new ApiError(403, 'this sub account was paused by the service operator');

type Columns = Pick<AccountEntity, 'suspendedAt' | 'suspendedBy' | 'suspensionReason'>;

/**
 * A parent pauses a child (spec 1-platform §10.4 rule 1).
 * @returns the columns that change; undefined when it is suspended already: the first reason stays
 */
export function suspension(child: Columns, reason: string, now: Date): Columns | undefined {
  return child.suspendedAt
    ? undefined
    : { suspendedAt: now, suspendedBy: 'parent', suspensionReason: reason };
}

/**
 * A parent ends its own pause of a child (§10.4 rule 2).
 * @returns the columns that change; undefined when it is not suspended
 * @throws ApiError 403 for what the operator began
 */
export function resumption(child: Columns & Pick<AccountEntity, 'blockedAt'>): Columns | undefined {
  if (child.suspendedBy === 'operator' || child.blockedAt) {
    throw PAUSED_BY_OPERATOR();
  }
  return child.suspendedAt ? { suspendedAt: null, suspendedBy: null, suspensionReason: null } : undefined;
}
