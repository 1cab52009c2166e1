// @ts-check
// Only the system that is measured runs. The others are stopped (SIGSTOP) with their databases: each idle one would use
// its part of the processors, of their caches and of the disk.
import { signalTo } from '../tools/processes.mjs';

/** Processes of one program. @typedef {() => readonly (number | undefined)[]} Group */

/** @param {readonly Group[]} groups clients before their servers, so that none waits in the middle of an answer */
export const freeze = (groups) => groups.forEach((group) => signal(group, 'SIGSTOP'));

/** @param {readonly Group[]} groups as they were given to `freeze` */
export const thaw = (groups) => [...groups].reverse().forEach((group) => signal(group, 'SIGCONT'));

/** @param {Group} group @param {NodeJS.Signals} name */
function signal(group, name) {
  // a process that was forked meanwhile is found by the second look, once its parent is stopped
  for (const pid of group()) signalTo(pid, name);
  for (const pid of group()) signalTo(pid, name);
}

/**
 * Runs the work while these are stopped.
 * @template T
 * @param {readonly Group[]} groups
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function whileFrozen(groups, work) {
  freeze(groups);
  try {
    return await work();
  } finally {
    thaw(groups);
  }
}
