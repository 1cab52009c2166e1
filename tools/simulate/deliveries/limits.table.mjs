// @ts-check
/** Short enough that a life has retries, windows and leases that end. */
export const TIMES = { retries: [8, 20, 40], windowSeconds: 110, leaseSeconds: 20 };
/** Places of a worker: in all, of a group, and of an account (three quarters, `libs/work/src/leased-queue/places.ts`). */
export const PLACES = { worker: 4, group: 2, account: 3 };
/** Messages of an hour of an address that warms up, to one group (`smaller.table.mjs`: 16 a day). */
export const BUDGET = 2;
