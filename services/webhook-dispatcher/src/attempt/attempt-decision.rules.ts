import type { OutgoingResponse } from '@postmesh/outgoing-http';

/** Tries in all, the first included (spec 2-messages §18.6). */
export const MOST_ATTEMPTS = 6;

export interface AttemptDecision {
  outcome: 'succeeded' | 'retried' | 'dropped';
  /** HTTP status; null when no answer came */
  status: number | null;
  /** why it is not a success; null when it is */
  reason: string | null;
  nextAttemptAt: Date | null;
}

export interface RetryTiming {
  now: Date;
  /** factor on every wait */
  scale: number;
  /** from 0 to 1 */
  random: number;
}

/** Success is a status of 200-299; every other answer, a redirect too, is a failure (spec 2-messages §18.5). */
export function decideAttempt(
  attempt: number,
  response: OutgoingResponse,
  timing: RetryTiming,
): AttemptDecision {
  const status = response.kind === 'answered' ? response.status : null;
  if (status !== null && status >= 200 && status <= 299) {
    return { outcome: 'succeeded', status, reason: null, nextAttemptAt: null };
  }
  const reason =
    response.kind === 'answered' ? `answered ${response.status}` : `${response.trouble} (${response.code})`;
  if (attempt >= MOST_ATTEMPTS) return { outcome: 'dropped', status, reason, nextAttemptAt: null };
  const waitMs = retryDelayMs(attempt, timing);
  return { outcome: 'retried', status, reason, nextAttemptAt: new Date(timing.now.getTime() + waitMs) };
}

/** After failure n: n⁴ seconds, up to 10 % more or less: 1, 16, 81, 256, 625 s (spec 2-messages §18.6). */
export function retryDelayMs(failures: number, { scale, random }: Omit<RetryTiming, 'now'>): number {
  return Math.round(failures ** 4 * 1_000 * (0.9 + 0.2 * random) * scale);
}
