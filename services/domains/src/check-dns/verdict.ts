/** What a check found out about one record; `unknown` = inconclusive, nothing may change. */
export type Verdict = 'pass' | 'fail' | 'unknown';
