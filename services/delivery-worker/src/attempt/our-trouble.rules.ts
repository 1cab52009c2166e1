const SOONEST_MS = 15_000;
const LATEST_MS = 300_000;
const JITTER = 0.1;

/**
 * How long a message waits when we cannot compose it (content or key cannot be read): about as long again as the
 * trouble has lasted, so that a backlog does not retry in vain every few seconds, and none waits much longer than the
 * trouble lasted.
 * @param random 0..1; spreads the waits by ±10 %
 */
export function waitOutTroubleMs(lastedMs: number, random: number): number {
  const wait = Math.min(Math.max(lastedMs, SOONEST_MS), LATEST_MS);
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random));
}
