/** A day of an account in the request log. */
export interface RequestLogDay {
  /** most rows of a day */
  readonly perDay: number;
  /** rows that it has already */
  readonly stored: number;
  /** how much of the day has passed, 0 to 1 */
  readonly passed: number;
}

/**
 * How many further requests are stored now: half of those of a day at any time, the rest spread over the day. So an account
 * that fails all day long has rows of every hour, and one that seldom fails has a row for each.
 */
export function dayRoom({ perDay, stored, passed }: RequestLogDay): number {
  return Math.max(0, Math.floor((perDay * (1 + passed)) / 2) - stored);
}
