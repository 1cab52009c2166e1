export { createJobs } from './jobs.js';
export type { FailedJob, JobCounts, Jobs, JobsOptions } from './jobs.js';
export { JobsElsewhere } from './jobs-elsewhere.js';
export type { PeriodicWork } from './work-queue.js';
