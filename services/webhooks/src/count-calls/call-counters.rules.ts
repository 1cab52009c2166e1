/** A webhook is disabled when more failures than this follow each other (spec 2-messages §18.8). */
export const MOST_FAILURES_IN_A_ROW = 100;

export interface CountedAttempt {
  success: boolean;
  attemptedAt: string;
}

export interface Standing {
  enabled: boolean;
  errorsSinceLastSuccess: number;
}

export interface Counted {
  successes: number;
  errors: number;
  errorsSinceLastSuccess: number;
  /** RFC 3339; the latest of the attempts */
  lastRequestAt: string;
  /** the failures in a row became too many at some point, even if a success came after it */
  disables: boolean;
}

/** Folds attempts, in order, into what they change (spec 2-messages §18.7-8). @param attempts at least one */
export function countAttempts(standing: Standing, attempts: readonly CountedAttempt[]): Counted {
  const counted: Counted = {
    successes: 0,
    errors: 0,
    errorsSinceLastSuccess: standing.errorsSinceLastSuccess,
    lastRequestAt: '',
    disables: false,
  };
  for (const { success, attemptedAt } of attempts) {
    if (success) counted.successes += 1;
    else counted.errors += 1;
    counted.errorsSinceLastSuccess = success ? 0 : counted.errorsSinceLastSuccess + 1;
    if (attemptedAt > counted.lastRequestAt) counted.lastRequestAt = attemptedAt;
    if (standing.enabled && counted.errorsSinceLastSuccess > MOST_FAILURES_IN_A_ROW) counted.disables = true;
  }
  return counted;
}
