import type { CacheLeaseResponse } from '@postmesh/accounts-contract';

/** How long a gateway may serve keys from memory after its request. */
export const LEASE_MS = 3_000;
/** How long a request stays open while nothing changes. */
export const HOLD_MS = 1_000;

export interface Change {
  revision: number;
  keyIds: readonly string[];
  accountIds: readonly string[];
}

/**
 * The keys and accounts that a gateway at `acked` must drop to be at `revision`. Revisions have no gaps, so the count of
 * changes shows whether some were deleted already.
 */
export function leaseResponse(
  acked: number | null,
  revision: number,
  changes: readonly Change[],
  leaseMs: number,
): CacheLeaseResponse {
  const reset = acked === null || acked > revision || changes.length !== revision - acked;
  return {
    revision,
    lease_ms: leaseMs,
    reset,
    key_ids: reset ? [] : [...new Set(changes.flatMap((change) => change.keyIds))],
    account_ids: reset ? [] : [...new Set(changes.flatMap((change) => change.accountIds))],
  };
}

/** A lease is granted only to a cache that holds nothing older than the current revision. */
export const isCurrent = (acked: number | null, revision: number): boolean =>
  acked === null || acked === revision;
