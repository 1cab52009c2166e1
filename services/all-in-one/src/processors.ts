import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

// Of a container, cgroup v2: "<quota> <period>", or "max <period>". Node 20 knows affinity, and nothing of it.
const QUOTA_FILE = '/sys/fs/cgroup/cpu.max';

/** How many processors this process may use at once, at least one. */
export async function usableProcessors(): Promise<number> {
  const quota = await readFile(QUOTA_FILE, 'utf8').catch(() => 'max');
  return Math.max(1, Math.min(availableParallelism(), processorsOf(quota)));
}

/** Exported for tests. @returns whole processors; Infinity when there is no quota */
export function processorsOf(quota: string): number {
  const [micros, period] = quota.trim().split(' ').map(Number);
  return micros && period ? Math.floor(micros / period) : Infinity;
}
