import type { PeriodicWork } from '@postmesh/jobs';

/** Looks at the domains whose next check is due (spec 1-platform §11.4 rule 7). */
export const RECHECK_DUE: PeriodicWork = {
  queue: 'domains',
  name: 'recheck-due',
  everyMs: 15_000,
  timeoutMs: 120_000,
};
