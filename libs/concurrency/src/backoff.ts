export interface Backoff {
  /** after the first failure; doubles with each further one */
  readonly firstMs: number;
  /** never longer than this, spread apart */
  readonly maxMs: number;
  /** share by which waits differ, so that what failed together does not come back together: 0.2 = ±20 %; default 0 */
  readonly spread?: number;
}

// 2^30 times any first wait is beyond every maximum.
const MAX_DOUBLINGS = 30;

/**
 * Exponential backoff.
 * @param failures in a row, from 1; without a failure there is nothing to wait for (0 ms)
 * @param random 0..1
 */
export function backoffMs(failures: number, backoff: Backoff, random = Math.random()): number {
  if (failures < 1) return 0;
  const waitMs = Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS));
  return Math.round(waitMs * (1 + (backoff.spread ?? 0) * (2 * random - 1)));
}
