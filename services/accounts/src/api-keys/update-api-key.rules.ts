import { ApiError, ApiErrors } from '@postmesh/contracts';
import { allows } from './ip-allow-list.rules.js';

export const SELF_LOCKOUT = () => new ApiError(409, 'ip_allow_list would exclude your current IP address');

/** The fields of an update, canonical; undefined = unchanged. */
export interface WantedChange {
  label?: string;
  scopes?: readonly string[];
  ipAllowList?: readonly string[];
}

interface Present {
  label: string;
  scopes: readonly { scope: string }[];
  ipAllowList: readonly string[];
}

/** @throws ApiError 400 for an update without fields, or without differences (spec 1-platform §9) */
export function refuseEmptyChange({ label, scopes, ipAllowList }: Present, wanted: WantedChange): void {
  const granted = new Set(scopes.map(({ scope }) => scope));
  const isSame =
    (wanted.label ?? label) === label &&
    (wanted.scopes === undefined || sameSet(wanted.scopes, granted)) &&
    (wanted.ipAllowList ?? ipAllowList).join() === ipAllowList.join();
  if (isSame) throw ApiErrors.nothingChanges();
}

/** @throws ApiError 409 when the caller's own key would no longer work from its address (spec 1-platform §3 rule 7) */
export function refuseSelfLockout(wanted: WantedChange, caller: { clientIp: string }): void {
  if (wanted.ipAllowList !== undefined && !allows(wanted.ipAllowList, caller.clientIp)) {
    throw SELF_LOCKOUT();
  }
}

const sameSet = (some: readonly string[], others: ReadonlySet<string>): boolean =>
  some.length === others.size && some.every((one) => others.has(one));
