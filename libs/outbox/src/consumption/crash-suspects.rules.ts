/** So many crashes with an event in flight, and it is handled no more: as many as of a leased row (decision 69). */
const MAX_CRASHES = 5;

/**
 * How many events are in flight together after so many crashes, by the number of crashes: one of a large batch brought
 * the process down, and few commits find it. From the second crash on it is known which one was in flight, and nobody
 * else is counted with it.
 */
const MOST_TOGETHER = [Infinity, 25] as const;
const ALONE = 1;
// From this crash on an event waits for a moment by chance: what also goes on in the process at each of its starts, in
// another thread for instance, is then the cause of one crash with it in flight, and not of the next one.
const WAIT_FROM = 3;
const MAX_WAIT_MS = 2_000;

export interface Slice<T> {
  readonly events: readonly T[];
  /** of those of its events that have seen most */
  readonly crashes: number;
}

const mostTogether = (crashes: number): number => MOST_TOGETHER[crashes] ?? ALONE;

/** Cuts a batch into what may be in flight together, in its order. */
export function slicesByCrashes<T>(events: readonly T[], crashesOf: (event: T) => number): Slice<T>[] {
  const slices: { events: T[]; crashes: number }[] = [];
  for (const event of events) {
    const crashes = crashesOf(event);
    const last = slices.at(-1);
    const joins = last?.crashes === crashes && last.events.length < mostTogether(crashes);
    if (joins) last.events.push(event);
    else slices.push({ events: [event], crashes });
  }
  return slices;
}

export const isSetAside = (crashes: number): boolean => crashes >= MAX_CRASHES;

/** @param chance from 0 to 1 */
export const waitBeforeMs = (crashes: number, chance: number): number =>
  crashes < WAIT_FROM ? 0 : Math.round(chance * MAX_WAIT_MS);
