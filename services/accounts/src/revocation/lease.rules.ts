import type { CacheLeaseResponse } from '@postmesh/contracts';

/** How long a gateway may serve keys from memory after it asked. */
export const LEASE_MS = 3_000;
/** How long a question is kept open while nothing changes. */
export const HOLD_MS = 1_000;

export interface Change {
  revision: number;
  keyIds: readonly string[];
  accountIds: readonly string[];
}

/**
 * What a gateway that has applied everything up to `acked` must drop to be at `revision`.
 * Revisions have no gaps, so changes that are no longer kept show by their number.
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
