import { defineJob } from '@postmesh/jobs';
import { z } from 'zod';

/** Looks at the domains whose next check is due (spec 1-platform §11.4 rule 7). */
export const RecheckDue = defineJob({
  queue: 'domains',
  name: 'recheck-due',
  payload: z.object({}),
  // the next run of the schedule does what this one did not
  attempts: 1,
  backoff: { firstMs: 1_000, maxMs: 1_000 },
  timeoutMs: 120_000,
  concurrency: 1,
});

export const RECHECK_EVERY_MS = 15_000;
