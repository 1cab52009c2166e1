/** How a host that does not answer is left alone for a while. */
export interface BackOff {
  /** in a row; 0 = all is well */
  readonly failures: number;
  /** no connection before this moment, Unix ms */
  readonly until: number;
}

export const NO_BACK_OFF: BackOff = { failures: 0, until: 0 };

const FIRST_MS = 10_000;
// A retry of a message comes after five minutes at the soonest: a host that is back is found by then.
const LONGEST_MS = 5 * 60_000;

/** @param random 0..1; spreads the next tries by ±20 % */
export function backOffAfterFailure(before: BackOff, now: number, random: number): BackOff {
  const failures = before.failures + 1;
  const delay = Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 10), LONGEST_MS);
  return { failures, until: now + Math.round(delay * (0.8 + 0.4 * random)) };
}

export function mayConnect(backOff: BackOff, now: number): boolean {
  return now >= backOff.until;
}
