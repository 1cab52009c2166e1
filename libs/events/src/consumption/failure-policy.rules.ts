import { failureKind, tookTooLong, type FailureKind } from '@postmesh/contracts';

export interface FailurePolicy {
  /** Pauses before the same events are tried again here and now, one try per pause. */
  inPlacePausesMs: readonly number[];
  /**
   * `redeliver`: the driver delivers the batch again, for ever. `halve`: each half is tried like a batch of its own.
   * `isolate`: find the event at fault, make it a dead letter, continue with the rest.
   */
  lastly: 'redeliver' | 'halve' | 'isolate';
}

/** The kind of a failure: of any failure, or "too much at once"; a single event cannot be split. */
export type ConsumptionFailure = FailureKind | 'batch-too-long' | 'event-too-long';

/**
 * The treatment of each kind of failure. A failure of the environment is never an event's fault, so a transient
 * failure makes no dead letter. A bug may be a race that the next try does not meet; an event that cannot be parsed,
 * or fails for ever by its own code, is not tried twice. A batch that took too long is never delivered again
 * unchanged: it would take too long again, and everything behind it would wait for ever. A single event that the
 * database cuts off three times, a minute each, has delayed all others long enough; as a dead letter it can be
 * handled again when the database is idle.
 */
const FAILURE_POLICIES: Readonly<Record<ConsumptionFailure, FailurePolicy>> = {
  transient: { inPlacePausesMs: [], lastly: 'redeliver' },
  'batch-too-long': { inPlacePausesMs: [], lastly: 'halve' },
  'event-too-long': { inPlacePausesMs: [1_000, 5_000], lastly: 'isolate' },
  bug: { inPlacePausesMs: [200, 1_000], lastly: 'isolate' },
  permanent: { inPlacePausesMs: [], lastly: 'isolate' },
  poison: { inPlacePausesMs: [], lastly: 'isolate' },
};

/** @param events how many were being handled together */
export function consumptionFailure(error: unknown, events: number): ConsumptionFailure {
  if (!tookTooLong(error)) return failureKind(error);
  return events > 1 ? 'batch-too-long' : 'event-too-long';
}

/**
 * @param failure the latest one
 * @param tries how often these events were tried so far, from 1
 * @returns how long to wait before the next try in place, or what to do when there is none
 */
export function afterFailure(
  failure: ConsumptionFailure,
  tries: number,
): { retryInMs: number } | FailurePolicy['lastly'] {
  const policy = FAILURE_POLICIES[failure];
  const retryInMs = policy.inPlacePausesMs[tries - 1];
  return retryInMs === undefined ? policy.lastly : { retryInMs };
}
