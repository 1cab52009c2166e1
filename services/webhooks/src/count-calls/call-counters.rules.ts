import { MIN_FAILURES } from '@postmesh/webhooks-contract';

/** A new endpoint, or one that was enabled again: its counters are reset. */
export const NEVER_FAILED = {
  errors_since_last_success: 0,
  failing_since: null,
  last_failure: null,
  failing_notified_at: null,
  disabled_at: null,
} as const;

export interface CountedAttempt {
  success: boolean;
  attemptedAt: string;
  /** the reason of a failure */
  reason: string | null;
}

export interface Standing {
  enabled: boolean;
  errorsSinceLastSuccess: number;
  /** the first of them; null when unknown */
  failingSince: Date | null;
}

export interface Counted {
  successes: number;
  errors: number;
  errorsSinceLastSuccess: number;
  failingSince: Date | null;
  /** of the last attempt; null when it succeeded */
  lastFailure: string | null;
  /** RFC 3339; the latest of the attempts */
  lastRequestAt: string;
  /** every attempt has failed for longer than the limit */
  disables: boolean;
}

/**
 * Counts attempts, in order (spec 2-messages §18 rules 7 and 8).
 * @param attempts at least one
 * @param disableAfterMs an endpoint with only failures for this long is disabled
 */
export function countAttempts(
  standing: Standing,
  attempts: readonly CountedAttempt[],
  disableAfterMs: number,
): Counted {
  const counted: Counted = {
    successes: 0,
    errors: 0,
    errorsSinceLastSuccess: standing.errorsSinceLastSuccess,
    failingSince: standing.errorsSinceLastSuccess === 0 ? null : standing.failingSince,
    lastFailure: null,
    lastRequestAt: '',
    disables: false,
  };
  for (const { success, attemptedAt, reason } of attempts) {
    if (attemptedAt > counted.lastRequestAt) counted.lastRequestAt = attemptedAt;
    counted.lastFailure = success ? null : reason;
    if (success) {
      counted.successes += 1;
      counted.errorsSinceLastSuccess = 0;
      counted.failingSince = null;
    } else {
      counted.errors += 1;
      counted.errorsSinceLastSuccess += 1;
      counted.failingSince ??= new Date(attemptedAt);
    }
  }
  const { failingSince, errorsSinceLastSuccess, lastRequestAt } = counted;
  const failedForMs = failingSince === null ? -1 : Date.parse(lastRequestAt) - failingSince.getTime();
  counted.disables =
    standing.enabled && errorsSinceLastSuccess >= MIN_FAILURES && failedForMs >= disableAfterMs;
  return counted;
}
