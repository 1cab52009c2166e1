import { z } from 'zod';
import { defineJob } from '../src/index.js';

const common = {
  queue: 'tests',
  attempts: 3,
  backoff: { firstMs: 200, maxMs: 1_000 },
  timeoutMs: 10_000,
  concurrency: 4,
};
const numbered = z.object({ n: z.int() });

export const plain = defineJob({ ...common, name: 'plain', payload: numbered });
export const single = defineJob({ ...common, name: 'single', payload: numbered, concurrency: 1 });
export const keyed = defineJob({
  ...common,
  name: 'keyed',
  payload: z.object({ key: z.string(), n: z.int() }),
  dedupeKey: (payload) => payload.key,
});
export const brief = defineJob({ ...common, name: 'brief', payload: numbered, timeoutMs: 200, attempts: 2 });
export const dated = defineJob({ ...common, name: 'dated', payload: z.object({ day: z.coerce.date() }) });
/** the same queue as `plain`, as an older producer knew it */
export const older = defineJob({ ...common, name: 'plain', payload: z.object({ was: z.string() }) });
