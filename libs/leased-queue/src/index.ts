export { LeasedQueue } from './leased-queue.js';
export { BULK, constantRooms, leasedItem, SINGLE } from './leased-table.js';
export type { Ending, GroupRooms, LeasedItem, LeasedRow, LeasedTable, NewRow } from './leased-table.js';
export { MAX_CRASHES } from './statements.js';
