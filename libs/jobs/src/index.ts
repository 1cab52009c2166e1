export { defineJob } from './define-job.js';
export type {
  Backoff,
  JobCatalogue,
  JobDefinition,
  JobHandler,
  JobHandlers,
  JobRun,
  PeriodicWork,
} from './define-job.js';
export { createJobs } from './jobs.js';
export type { Jobs, JobCounts, JobsOptions } from './jobs.js';
export type { EnqueueOptions } from './queues.js';
export type { Schedule } from './schedules.js';
export type { FailedJob, FailedQuery } from './failed-jobs.js';
export { RunOnWord } from './run-on-word.js';
