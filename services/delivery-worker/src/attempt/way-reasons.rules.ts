const KEEPS = 'it may have arrived and keeps its way, ';
const NO_WAY = ' has no way out that this worker can use';

/** Why a message has no way out now, as its row says it. */
export const WAY_REASONS = {
  noPool: 'its pool of addresses was removed',
  noRelay: 'there is no relay',
  noSource: 'none of our source addresses reaches a host of the destination',
  notKept: 'its way could not be written down',
  noWay: (pool: string) => `the pool ${pool}${NO_WAY}`,
  /** the message may have arrived: it does not leave by a second way */
  keepsWay: (way: string) => `${KEEPS}${way}, which is not available now`,
} as const;

const { noPool, noRelay, noSource, notKept } = WAY_REASONS;
const PLAIN: ReadonlySet<string> = new Set([noPool, noRelay, noSource, notKept]);

/** Whether the recorded reason of a wait is a way out that is missing. */
export const isOfWay = (reason: string): boolean =>
  PLAIN.has(reason) || reason.endsWith(NO_WAY) || reason.startsWith(KEEPS);
