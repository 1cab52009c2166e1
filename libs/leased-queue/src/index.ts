export { LeasedQueue } from './leased-queue.js';
export type { LeasedQueueOptions, LeasedWork } from './leased-queue.js';
export { BULK, constantRooms, leasedItem, SINGLE } from './leased-table.js';
export type {
  Ending,
  GroupRooms,
  Lane,
  LeasedItem,
  LeasedRow,
  LeasedTable,
  NewRow,
  NextTime,
} from './leased-table.js';
export { MAX_CRASHES } from './statements.js';
