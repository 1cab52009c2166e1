import { createHash } from 'node:crypto';

/**
 * This worker's part of the connections to a group: the same for all workers, and one of the remainder if its hash is
 * among the first. All workers with the same list compute the same result, and their parts add up to the total.
 */
export function shareOf(total: number, group: string, worker: string, workers: readonly string[]): number {
  const everybody = workers.includes(worker) ? workers : [...workers, worker];
  const rest = total % everybody.length;
  const each = Math.floor(total / everybody.length);
  if (rest === 0) return each;
  const own = rankOf(group, worker);
  const before = everybody.filter((other) => other !== worker && rankOf(group, other) < own).length;
  return each + (before < rest ? 1 : 0);
}

/** The order of the workers differs from group to group. */
const rankOf = (group: string, worker: string): string =>
  createHash('sha256').update(`${group}\n${worker}`).digest('hex');
