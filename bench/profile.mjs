// @ts-check
// Profile of the CPU time of a running Node process, not of the wall clock: Linux perf samples each thread while it is
// on a processor. A wall-clock profile would count the call in which a thread was descheduled.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ProfileCount } from './profile.rules.mjs';
import { makeFolder, removeFolder, startChild, stopChild } from '../tools/processes.mjs';

const SAMPLES_PER_SECOND = 499;
const WRITTEN_MS = 60_000;

/** Needed arguments of Node: perf reads the names of compiled functions from a file that V8 writes. */
export const PROFILED_NODE = ['--perf-basic-prof', '--interpreted-frames-native-stack'];

/** @returns {string | undefined} the reason why sampling is impossible here */
export function whyNoProfile() {
  const tried = spawnSync('perf', ['record', '-e', 'cpu-clock', '-o', '/dev/null', 'true'], {
    encoding: 'utf8',
  });
  if (tried.error) return 'perf is not installed (Debian: linux-perf)';
  return tried.status === 0 ? undefined : `perf may not sample here: ${tried.stderr.trim().slice(0, 200)}`;
}

/**
 * @param {readonly (number | undefined)[]} pids @param {() => Promise<unknown>} work
 * @returns {Promise<import('./profile.rules.mjs').Profile>}
 * @throws Error when perf fails
 */
export async function profileWhile(pids, work) {
  const folder = makeFolder('profile');
  try {
    const file = join(folder, 'samples');
    const args = ['record', '-e', 'cpu-clock', '-F', String(SAMPLES_PER_SECOND), '-g'];
    const perf = startChild('perf', [...args, '-p', pids.join(','), '-o', file]);
    await work();
    if (!(await stopChild(perf, { signal: 'SIGINT', graceMs: WRITTEN_MS }))) {
      throw new Error(`perf did not end: ${perf.output()}`);
    }
    return await read(file);
  } finally {
    removeFolder(folder);
  }
}

/** @param {string} file */
async function read(file) {
  const script = spawn('perf', ['script', '-i', file, '-F', 'comm,tid,ip,sym,dso'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const count = new ProfileCount();
  for await (const text of createInterface({ input: script.stdout })) count.line(text);
  return count.end();
}
