import type { RecentChange } from '@postmesh/contracts';

/** The changes that were sent lately: the time of each, by what it says. */
export type SentChanges = Map<string, number>;

/**
 * The changes that were not sent yet. Looks overlap, because a change becomes visible some time after the time it has.
 * @param sent changed: the new ones are added, those before `forgetBefore` (ms since 1970) are removed
 */
export function freshChanges(
  sent: SentChanges,
  changes: readonly RecentChange[],
  forgetBefore: number,
): RecentChange[] {
  for (const [key, at] of sent) if (at < forgetBefore) sent.delete(key);
  return changes.filter(({ kind, id, state, at }) => {
    const key = [kind, id, state, at].join(' ');
    if (sent.has(key)) return false;
    sent.set(key, Date.parse(at));
    return true;
  });
}
