// A process that takes one job, says so on stdout, and never ends it: to be killed with -9.
// argv: the options of createJobs as JSON.
import { pino } from 'pino';
import { z } from 'zod';
import { createJobs, defineJob } from '../dist/index.js';

const jobs = await createJobs({ ...JSON.parse(process.argv[2]), logger: pino({ level: 'silent' }) });
const plain = defineJob({
  queue: 'tests',
  name: 'plain',
  payload: z.object({ n: z.int() }),
  attempts: 3,
  backoff: { firstMs: 200, maxMs: 1_000 },
  timeoutMs: 60_000,
  concurrency: 1,
});
await jobs.process(
  { plain },
  {
    plain: ({ payload }) => {
      console.log(`begun ${payload.n}`);
      return new Promise(() => {});
    },
  },
);
