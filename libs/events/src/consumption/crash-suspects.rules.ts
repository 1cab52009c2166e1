/** An event is set aside after this many crashes with it in flight: as many as a leased row (decision 69). */
const MAX_CRASHES = 5;

/**
 * How many events are in flight together, by the number of crashes so far: one of a large batch brought the process
 * down, and few commits find it. From the second crash on exactly one event is in flight, so no other event is
 * counted with it.
 */
const MOST_TOGETHER = [Infinity, 25] as const;
const ALONE = 1;
// From this crash on an event waits for a random moment. Where other work of the process, in another thread for
// instance, is the cause of the crashes at each start, it then causes one with the event in flight, but not the next.
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
