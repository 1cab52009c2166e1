export { LeasedQueue } from './leased-queue.js';
export type { LeasedQueueOptions, LeasedWork } from './leased-queue.js';
export { leasedItem } from './leased-table.js';
export type { Ending, LeasedItem, LeasedRow, LeasedTable, NewRow } from './leased-table.js';
