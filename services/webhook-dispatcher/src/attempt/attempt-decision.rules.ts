import { MOST_REDIRECTS, type OutgoingResponse } from '@postmesh/outgoing-http';

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
  /** seconds after failure n; one more is the end */
  waits: readonly number[];
  /** factor on every wait */
  scale: number;
  /** from 0 to 1 */
  random: number;
}

/**
 * Success is a status of 200-299 at the end of the redirects that are followed; every other answer is a failure
 * (spec 2-messages §18.5).
 */
export function decideAttempt(
  attempt: number,
  response: OutgoingResponse,
  timing: RetryTiming,
): AttemptDecision {
  const status = response.kind === 'answered' ? response.status : null;
  if (status !== null && status >= 200 && status <= 299) {
    return { outcome: 'succeeded', status, reason: null, nextAttemptAt: null };
  }
  const reason = reasonOf(response);
  const waitMs = retryDelayMs(attempt, timing);
  if (waitMs === undefined) return { outcome: 'dropped', status, reason, nextAttemptAt: null };
  return { outcome: 'retried', status, reason, nextAttemptAt: new Date(timing.now.getTime() + waitMs) };
}

const REDIRECTS = {
  'no-target': 'to a URL that cannot be called',
  'to-plain-http': 'from https to http',
  'too-many-redirects': `after ${MOST_REDIRECTS} redirects`,
};

function reasonOf(response: OutgoingResponse): string {
  if (response.kind === 'failed') return `${response.trouble} (${response.code})`;
  const { status, refused } = response;
  return refused === undefined ? `answered ${status}` : `answered ${status} ${REDIRECTS[refused]}`;
}

/** @returns the wait after failure n, up to 10 % more or less (spec 2-messages §18.6); undefined: the last one */
export function retryDelayMs(
  failures: number,
  { waits, scale, random }: Omit<RetryTiming, 'now'>,
): number | undefined {
  const seconds = waits[failures - 1];
  return seconds === undefined ? undefined : Math.round(seconds * 1_000 * (0.9 + 0.2 * random) * scale);
}
