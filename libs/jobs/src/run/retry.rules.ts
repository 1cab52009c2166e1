import { failureKind, Transient } from '@postmesh/contracts';
import type { Backoff } from '../define-job.js';

/** What becomes of a run that failed. */
export interface FailedRun {
  /** false: the job goes to the failed list at once */
  again: boolean;
  /** told by the failure itself */
  retryAfterMs: number | undefined;
  /** for the failed list: one line that a person reads */
  reason: string;
}

const LONGEST_REASON = 1_000;

export function judgeFailure(error: unknown): FailedRun {
  const kind = failureKind(error);
  return {
    again: kind === 'transient' || kind === 'bug',
    retryAfterMs: error instanceof Transient ? error.retryAfterMs : undefined,
    reason: storable(`${kind}: ${error instanceof Error ? error.message : String(error)}`, LONGEST_REASON),
  };
}

/**
 * Waits double from attempt to attempt and are spread by a tenth, so that what failed together does
 * not come back together.
 * @param attempt that has just failed, from 1
 * @param random from 0 to 1
 */
export function retryDelayMs(
  backoff: Backoff,
  attempt: number,
  random: number,
  retryAfterMs: number | undefined,
): number {
  const wait = Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(Math.max(wait * (1 + random / 10), retryAfterMs ?? 0, 1));
}

/** PostgreSQL stores no NUL: a remote server's words with one in them must not keep a job from failing. */
export function storable(text: string, longest: number): string {
  return text.replaceAll('\0', '\uFFFD').slice(0, longest);
}
