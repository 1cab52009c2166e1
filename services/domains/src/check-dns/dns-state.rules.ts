import type { DnsState } from '../sending-domain/sending-domain.js';
import type { Verdict } from './verdict.js';

/** Who asked for a check: an API call is an owner's word, the background looks again before it believes a failure. */
export type CheckSource = 'api' | 'background';

export interface StateBefore {
  state: DnsState;
  /** background failures in a row */
  failures: number;
  contested: boolean;
}

export interface StateAfter {
  state: DnsState;
  failures: number;
  contested: boolean;
  /** the domain could send until now and no longer can: an event, once (spec 1-platform §11.5 rule 5) */
  becameInvalid: boolean;
  /** a copy of the domain in another account may have lost its place (rule 8) */
  becameValid: boolean;
}

/** The first failure and two more looks. */
const FAILURES_TO_INVALID = 3;

/** The verdict on a domain from those on its required records. */
export function judgeDomain(required: readonly Verdict[]): Verdict {
  if (required.includes('fail')) return 'fail';
  return required.includes('unknown') ? 'unknown' : 'pass';
}

/** The next state of a domain (spec 1-platform §11.5). */
export function nextDnsState(before: StateBefore, verdict: Verdict, source: CheckSource): StateAfter {
  if (verdict === 'unknown') return { ...before, becameInvalid: false, becameValid: false };
  const quiet = { failures: 0, contested: false, becameInvalid: false, becameValid: false };
  if (verdict === 'pass') {
    return {
      ...quiet,
      state: 'valid',
      becameValid: before.state === 'pending' || before.state === 'invalid',
    };
  }
  if (before.state === 'pending' || before.state === 'invalid') return { ...quiet, state: before.state };
  const failures = before.failures + 1;
  const atOnce = source === 'api' || before.contested;
  if (atOnce || failures >= FAILURES_TO_INVALID) return { ...quiet, state: 'invalid', becameInvalid: true };
  return { ...quiet, state: 'suspect', failures };
}
