// @ts-check
// Division of the CPU time of a message: each thread of Node, each service's part of PostgreSQL, and the signature.
// From /proc/*/schedstat, in nanoseconds; ticks of 10 ms are too coarse for a short round.
import { generateKeyPairSync, sign } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { canMeasure, processTree } from '../tools/processes.mjs';

/** @typedef {Map<string, number>} Seconds CPU seconds by name */

/**
 * @param {readonly (number | undefined)[]} pids of the main process, and of others that accept
 * @returns {Seconds} by thread. Node 20 gives its threads no names: the main one is `main`, all others together `threads`;
 *   newer versions have `libuv-worker` and more. The main threads of processes that accept are `accept`
 */
export function threadSeconds([main, ...accepting]) {
  const seconds = new Map();
  addThreads(seconds, main, 'main');
  for (const pid of accepting) addThreads(seconds, pid, 'accept');
  return seconds;
}

/** @param {Seconds} seconds @param {number | undefined} pid @param {string} main the name of its main thread */
function addThreads(seconds, pid, main) {
  for (const thread of canMeasure ? entriesOf(`/proc/${pid}/task`) : []) {
    const name = Number(thread) === pid ? main : nameOf(read(`/proc/${pid}/task/${thread}/comm`));
    add(seconds, name, runSeconds(`/proc/${pid}/task/${thread}/schedstat`));
  }
}

/** @param {string} comm */
const nameOf = (comm) => (comm === '' || comm === 'node' || comm === 'MainThread' ? 'threads' : comm.trim());

/**
 * @param {number | undefined} postmaster @param {ReadonlyMap<number, string>} names of its backends
 * @returns {Map<number, { name: string, seconds: number }>} by process, without those that have ended
 */
export function backendSeconds(postmaster, names) {
  const found = new Map();
  for (const pid of canMeasure && postmaster !== undefined ? processTree(postmaster) : []) {
    if (pid === undefined) continue;
    const name = names.get(pid) ?? 'server';
    found.set(pid, { name, seconds: runSeconds(`/proc/${pid}/schedstat`) });
  }
  return found;
}

/** @param {Seconds} seconds @param {string} name @param {number} more */
const add = (seconds, name, more) => void seconds.set(name, (seconds.get(name) ?? 0) + more);

const SIGNATURES = 100;
/** @type {import('node:crypto').KeyObject | undefined} */
let key;

/** Current cost of one RSA-2048 signature, on a machine with changing load. @returns {number} CPU microseconds */
export function signatureMicros() {
  key ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const text = Buffer.alloc(400, 'x');
  const before = process.cpuUsage();
  for (let at = 0; at < SIGNATURES; at += 1) sign('sha256', text, key);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / SIGNATURES;
}

const runSeconds = (path) => Number(read(path).split(' ')[0]) / 1e9;

const entriesOf = (path) => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

/** A thread that ends during the reading counts as 0. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
