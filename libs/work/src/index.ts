export { DatabaseClockModule } from './leased-queue/database-clock.module.js';
export { LeasedQueue } from './leased-queue/leased-queue.js';
export { BULK, constantRooms, leasedItem, SINGLE } from './leased-queue/leased-table.js';
export type {
  Ending,
  GroupRooms,
  LeasedItem,
  LeasedRow,
  LeasedTable,
  NewRow,
} from './leased-queue/leased-table.js';
export { MAX_CRASHES } from './leased-queue/statements.js';
export { createJobs } from './periodic/jobs.js';
export type { Jobs } from './periodic/jobs.js';
export { Periodic } from './periodic/periodic.decorator.js';
export { PeriodicModule } from './periodic/periodic.module.js';
export { PeriodicTasks } from './periodic/periodic-tasks.js';
