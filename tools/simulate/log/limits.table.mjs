// @ts-check
/** A member that is silent for so long loses its turn. */
export const LEASE_MS = 4_000;
/** A member of a group at Kafka that is silent for so long is given up, and the time that a rebalance waits for others. */
export const SESSION_MS = 6_000;
export const REBALANCE_MS = 20_000;
/** Events stay for so long after all have passed them. */
export const KEEP_MS = 8_000;
export const KEEP_LOSABLE_MS = 6 * 86_400_000;
/** A batch of more weight takes too long. */
export const MAX_WEIGHT = 4;
/** Behind the end of its group's member an event is handled within this, where nothing else is in the way. */
export const TAKES_OVER_MS = 15_000;
