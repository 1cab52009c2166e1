const DAY_S = 86_400;
const SPREAD_S = 3 * 3_600;

/** A stored policy is fetched again every day, not all at the same hour, and before half of its time is over. */
export function refreshAfterSeconds(maxAgeSeconds: number, random: number): number {
  return Math.round(Math.min(DAY_S - random * SPREAD_S, maxAgeSeconds / 2));
}
