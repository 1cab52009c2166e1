import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

// Of a container: "<quota> <period>" in microseconds; without a quota "max" (cgroup v2) or -1 (v1). Node 20 knows affinity,
// and nothing of it.
const V2_FILES = ['/sys/fs/cgroup/cpu.max'];
const V1_FILES = ['/sys/fs/cgroup/cpu/cpu.cfs_quota_us', '/sys/fs/cgroup/cpu/cpu.cfs_period_us'];

/** How many processors this process may use at once, at least one. */
export async function usableProcessors(): Promise<number> {
  const quota = await read(V2_FILES)
    .catch(() => read(V1_FILES))
    .catch(() => 'max');
  return Math.max(1, Math.min(availableParallelism(), processorsOf(quota)));
}

const read = async (files: readonly string[]): Promise<string> =>
  (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join(' ');

/** Exported for tests. @returns whole processors; Infinity when there is no quota */
export function processorsOf(quota: string): number {
  const [micros, period] = quota.trim().split(/\s+/).map(Number);
  return micros && micros > 0 && period ? Math.floor(micros / period) : Infinity;
}
