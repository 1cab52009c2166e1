import { MAX_RETRY_AFTER_S } from '@postmesh/webhooks-contract';
import { MOST_REDIRECTS, type OutgoingResponse } from '@postmesh/http';

export interface AttemptDecision {
  outcome: 'succeeded' | 'retried' | 'dropped';
  /** HTTP status; null without an answer */
  status: number | null;
  /** the reason of a failure; null on success */
  reason: string | null;
  nextAttemptAt: Date | null;
  /** end of the pause requested by the endpoint; null when it requested none */
  askedUntil: Date | null;
}

export interface RetryTiming {
  now: Date;
  /** seconds after failure n; the failure after the last one ends the delivery */
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
    return { outcome: 'succeeded', status, reason: null, nextAttemptAt: null, askedUntil: null };
  }
  const reason = reasonOf(response);
  const askedMs = askedWaitMs(response, timing.now);
  const askedUntil = askedMs === undefined ? null : new Date(timing.now.getTime() + askedMs);
  const waitMs = retryDelayMs(attempt, timing);
  if (waitMs === undefined) return { outcome: 'dropped', status, reason, nextAttemptAt: null, askedUntil };
  const nextAttemptAt = new Date(timing.now.getTime() + Math.max(waitMs, askedMs ?? 0));
  return { outcome: 'retried', status, reason, nextAttemptAt, askedUntil };
}

/**
 * The wait requested by a 429 or 503, seconds or a date (RFC 9110 §10.2.3), an hour at most (spec 2-messages §18.6).
 * @returns milliseconds; undefined without a request, or for one that is invalid
 */
function askedWaitMs(response: OutgoingResponse, now: Date): number | undefined {
  if (response.kind !== 'answered' || !ASK_STATUSES.has(response.status)) return undefined;
  const text = response.retryAfter?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_S * 1_000) : undefined;
}

const ASK_STATUSES: ReadonlySet<number> = new Set([429, 503]);

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
