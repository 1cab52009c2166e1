// A process that begins one run, says so on stdout, and never ends it: to be killed with -9.
// argv: the options of createJobs as JSON.
import { pino } from 'pino';
import { createJobs } from '../dist/index.js';

const jobs = await createJobs({ ...JSON.parse(process.argv[2]), logger: pino({ level: 'silent' }) });
await jobs.repeat({ queue: 'tests', name: 'hourly', everyMs: 3_600_000, timeoutMs: 60_000 }, () => {
  console.log('begun');
  return new Promise(() => {});
});
