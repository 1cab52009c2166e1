import { ApiError, ApiErrors } from '@postmesh/contracts';
import { allows } from '../ip-allow-list/ip-allow-list.rules.js';
import type { ApiKeyRow } from './api-key.resource.js';

export const SELF_LOCKOUT = () => new ApiError(409, 'ip_allow_list would exclude your current IP address');

/** What an update asks for, canonical; undefined = unchanged. */
export interface WantedChange {
  label?: string;
  scopes?: readonly string[];
  ipAllowList?: readonly string[];
}

/** @throws ApiError 400 when nothing is asked for, or nothing that differs (spec 1-platform §9) */
export function refuseEmptyChange(key: ApiKeyRow, wanted: WantedChange): void {
  const same =
    (wanted.label === undefined || wanted.label === key.label) &&
    (wanted.scopes === undefined ||
      sameSet(
        wanted.scopes,
        key.scopes.map((row) => row.scope),
      )) &&
    (wanted.ipAllowList === undefined || wanted.ipAllowList.join() === key.ip_allow_list.join());
  if (same) throw ApiErrors.nothingChanges();
}

/** @throws ApiError 409 when the caller's own key would no longer work from here (spec 1-platform §3 rule 7) */
export function refuseSelfLockout(wanted: WantedChange, caller: { clientIp: string }): void {
  if (wanted.ipAllowList !== undefined && !allows(wanted.ipAllowList, caller.clientIp)) {
    throw SELF_LOCKOUT();
  }
}

function sameSet(some: readonly string[], others: readonly string[]): boolean {
  const set = new Set(others);
  return some.length === set.size && some.every((one) => set.has(one));
}
