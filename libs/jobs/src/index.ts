export { createJobs } from './jobs.js';
export type { Jobs, JobsOptions } from './jobs.js';
export { JobsElsewhere } from './jobs-elsewhere.js';
