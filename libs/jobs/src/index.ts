export { createJobs } from './jobs.js';
export type { Jobs, JobsOptions } from './jobs.js';
export { Periodic } from './periodic.decorator.js';
export { PeriodicModule } from './periodic.module.js';
export { PeriodicTasks } from './periodic-tasks.js';
