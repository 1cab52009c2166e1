export interface Run<T> {
  pattern: string;
  events: T[];
}

/**
 * Cuts a batch into runs of one pattern each, as few as the order allows: events of one key keep their order, events
 * of different keys may pass each other, which is what the bus promises and what makes batches large.
 */
export function planRuns<T>(
  events: readonly T[],
  about: (event: T) => { pattern: string; key: string },
): Run<T>[] {
  const runs: Run<T>[] = [];
  const lastRunOfPattern = new Map<string, number>();
  const lastRunOfKey = new Map<string, number>();
  for (const event of events) {
    const { pattern, key } = about(event);
    const open = lastRunOfPattern.get(pattern);
    const mayJoin = open !== undefined && open >= (lastRunOfKey.get(key) ?? 0);
    const index = mayJoin ? open : runs.push({ pattern, events: [] }) - 1;
    runs[index]?.events.push(event);
    lastRunOfPattern.set(pattern, index);
    lastRunOfKey.set(key, index);
  }
  return runs;
}
