import type { FailureKind } from '@postmesh/contracts';

export interface FailurePolicy {
  /** Pauses before the same events are tried again here and now, one try per pause. */
  inPlacePausesMs: readonly number[];
  /** `redeliver`: the driver brings the batch again, for ever. `isolate`: find the culprit, make it a dead letter, go on. */
  lastly: 'redeliver' | 'isolate';
}

/**
 * What a failure of a handler leads to. The world being unwell is never an event's fault, so nothing transient
 * ever becomes a dead letter. A bug may be a race that the next try does not meet; what cannot be parsed, or fails for ever by its
 * own word, is not tried twice.
 */
export const FAILURE_POLICIES: Readonly<Record<FailureKind, FailurePolicy>> = {
  transient: { inPlacePausesMs: [], lastly: 'redeliver' },
  bug: { inPlacePausesMs: [200, 1_000], lastly: 'isolate' },
  permanent: { inPlacePausesMs: [], lastly: 'isolate' },
  poison: { inPlacePausesMs: [], lastly: 'isolate' },
};

/**
 * @param kind of the latest failure
 * @param tries how often these events were tried so far, from 1
 * @returns how long to wait before the next try in place, or what to do when there is none
 */
export function afterFailure(
  kind: FailureKind,
  tries: number,
): { retryInMs: number } | FailurePolicy['lastly'] {
  const policy = FAILURE_POLICIES[kind];
  const retryInMs = policy.inPlacePausesMs[tries - 1];
  return retryInMs === undefined ? policy.lastly : { retryInMs };
}
