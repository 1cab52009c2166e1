import type { Cause } from './record-problems.rules.js';

/** What a check found out about one record; `unknown` = inconclusive, nothing may change. */
export type Verdict = 'pass' | 'fail' | 'unknown';

/** A verdict with what is to be said about it: why it is none of `pass`, or advice on a record that passes. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly cause: Cause | null;
}

export const PASS: Judgement = { verdict: 'pass', cause: null };
export const passWith = (cause: Cause | null): Judgement => ({ verdict: 'pass', cause });
export const fail = (cause: Cause): Judgement => ({ verdict: 'fail', cause });
export const inconclusive = ({ reason }: { reason: string }): Judgement => ({
  verdict: 'unknown',
  cause: { code: 'inconclusive', reason },
});
