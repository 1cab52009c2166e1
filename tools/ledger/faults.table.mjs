// @ts-check
// What can lie (--faults), in which mode, and the parts that are "killed" for it.

/** @typedef {'disk' | 'net' | 'kafka'} Fault */

/** @type {Record<Fault, { mode: 'embedded' | 'distributed', parts: readonly string[] }>} */
export const FAULTS = {
  disk: { mode: 'embedded', parts: ['disk-sync', 'disk-io', 'disk-stall'] },
  net: { mode: 'distributed', parts: ['net-postgres', 'net-kafka', 'net-redis'] },
  // all the time
  kafka: { mode: 'distributed', parts: [] },
};
