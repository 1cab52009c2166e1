// @ts-check
// The processes and folders of bench and ledger, removed at any end of the run; their use of the machine (from /proc;
// null on systems without one), and the clock that they share.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * @typedef {import('node:child_process').ChildProcess & {
 *   output: () => string, ended: Promise<{ code: number | null, signal: string | null }> }} Child
 *   `ended` never rejects; `output()`: the last 4,000 characters of stderr and stdout, for error messages
 */

/** @type {Set<Child>} */
const running = new Set();
/** @type {Set<string>} */
const folders = new Set();
/** @type {Map<unknown, () => void>} */
const lastResorts = new Map();

process.once('exit', cleanUpNow);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

/**
 * @param {unknown} key
 * @param {() => void} cleanUp called at the very end, synchronously, for processes that are not children (a detached server)
 * @returns {void}
 */
export const lastResort = (key, cleanUp) => void lastResorts.set(key, cleanUp);

/** @param {unknown} key @returns {void} */
export const noLastResort = (key) => void lastResorts.delete(key);

/** Readable by other users: PostgreSQL and Postfix drop their rights. @param {string} name @param {string} [parent] @returns {string} */
export function makeFolder(name, parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, `postmesh-bench-${name}-`));
  chmodSync(folder, 0o755);
  folders.add(folder);
  return folder;
}

/** @param {string} folder @returns {void} */
export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
}

/**
 * @param {string} command @param {readonly string[]} args @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Child}
 */
export const startChild = (command, args, options = {}) =>
  adopt(spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options }));

/** @param {import('node:child_process').ChildProcess} started @returns {Child} that ends when the bench does */
export function adopt(started) {
  const child = /** @type {Child} */ (started);
  let output = '';
  const keep = (chunk) => (output = (output + chunk).slice(-4_000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.output = () => output.trim();
  running.add(child);
  child.ended = new Promise((resolve) => {
    const end = (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    };
    child.once('error', (error) => {
      keep(error.message);
      if (child.pid === undefined) end(-1, null);
    });
    child.once('exit', end);
  });
  return child;
}

/**
 * @param {Child} child @param {{ signal?: NodeJS.Signals, graceMs?: number }} [how]
 * @returns {Promise<boolean>} whether the child ended within its time
 */
export async function stopChild(child, { signal = 'SIGTERM', graceMs = 15_000 } = {}) {
  if (!running.has(child)) return true;
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  const ended = await child.ended;
  clearTimeout(timer);
  return ended.signal !== 'SIGKILL';
}

/**
 * @param {string} command @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & { limitMs?: number }} [how]
 * @returns {Promise<string>} its output
 * @throws Error when the child fails or takes too long
 */
export async function runToEnd(command, args, { limitMs = 30_000, ...options } = {}) {
  const child = startChild(command, args, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const { code } = await child.ended;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${command} failed (${code ?? 'out of time'}): ${child.output()}`);
  return child.output();
}

function cleanUpNow() {
  for (const child of running) child.kill('SIGKILL');
  const rest = [...lastResorts.values(), ...[...folders].map((folder) => () => removeFolder(folder))];
  for (const cleanUp of rest) {
    try {
      cleanUp();
    } catch (error) {
      console.error(`left behind: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** @param {string} command @param {string[]} args @returns {string | null} null when the program is missing, fails or says nothing */
export function firstLine(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: 10_000 });
  return status === 0 ? stdout.split('\n')[0].trim() || null : null;
}

export const canMeasure = existsSync('/proc/self/stat');
const TICKS = canMeasure
  ? Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100
  : 100;

/** CPU time of one process, without its children. @param {number | undefined} pid @returns {number | null} seconds, null when it is gone */
export function cpuSeconds(pid) {
  const stat = readStat(pid);
  return stat && stat.own / TICKS;
}

/** CPU time of a process, of its children and of those that have ended. @param {number | undefined} pid @returns {number | null} */
export function treeCpuSeconds(pid) {
  if (!canMeasure) return null;
  const stats = processTree(pid).flatMap((each) => readStat(each) ?? []);
  return stats.length === 0 ? null : stats.reduce((sum, stat) => sum + stat.own + stat.reaped, 0) / TICKS;
}

/** Resident memory of one process. @param {number | undefined} pid @returns {number | null} MiB */
export function residentMib(pid) {
  return readKib(`/proc/${pid}/status`, /^VmRSS:\s+(\d+)/m);
}

/** The most that was resident since the start, or since `resetPeak`. @param {number | undefined} pid @returns {number | null} MiB */
export function peakMib(pid) {
  return readKib(`/proc/${pid}/status`, /^VmHWM:\s+(\d+)/m);
}

/** From now on (proc(5), clear_refs); where that is not allowed the peak is that since the start. @param {number | undefined} pid @returns {void} */
export function resetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // the result is then an upper bound
  }
}

/** Memory of a process and its children; shared memory is counted once (PSS). @param {number | undefined} pid @returns {number | null} MiB */
export function treeMib(pid) {
  if (!canMeasure) return null;
  const sizes = processTree(pid).map((each) => readKib(`/proc/${each}/smaps_rollup`, /^Pss:\s+(\d+)/m));
  return tenths(sizes.reduce((/** @type {number} */ sum, size) => sum + (size ?? 0), 0));
}

/** @param {number | undefined} pid @returns {(number | undefined)[]} the process and all below it */
export function processTree(pid) {
  const children = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = readStat(Number(entry))?.parent;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found;
}

/** Fields are counted after the name, which may hold blanks and brackets (proc(5)). */
function readStat(pid) {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (index) => Number(fields[index]);
  return { parent: ticks(1), own: ticks(11) + ticks(12), reaped: ticks(13) + ticks(14) };
}

/** @param {number} value */
const tenths = (value) => Math.round(value * 10) / 10;

function readKib(path, pattern) {
  const found = read(path)?.match(pattern)?.[1];
  return found === undefined ? null : tenths(Number(found) / 1024);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // the process is gone, or this system has no /proc
    return undefined;
  }
}

/** Microseconds of the machine's monotonic clock: the same in every process, so that times can be compared. @returns {number} */
export const nowMicros = () => Number(process.hrtime.bigint() / 1000n);

/** @param {number} ms @returns {Promise<void>} */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Polls until there is an answer.
 * @template T
 * @param {() => T | Promise<T>} ask undefined or false = not yet
 * @param {{ limitMs: number, everyMs?: number }} limits
 * @returns {Promise<T | undefined>} the answer; undefined when the time is over
 */
export async function waitUntil(ask, { limitMs, everyMs = 20 }) {
  const end = Date.now() + limitMs;
  for (;;) {
    const response = await ask();
    if (response !== undefined && response !== false) return response;
    if (Date.now() >= end) return undefined;
    await sleep(everyMs);
  }
}

/** @returns {number | undefined} the process that serves the data directory, undefined when none does */
export function findPostmaster(dataDir) {
  try {
    const cluster = join(dataDir, 'postgres', 'instance', 'cluster');
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    // the pid may belong to another process by now
    return canMeasure && readlinkSync(`/proc/${pid}/cwd`) !== realpathSync(cluster) ? undefined : pid;
  } catch {
    return undefined;
  }
}

/** @param {number | undefined} pid of a process that may have ended @param {NodeJS.Signals} name @returns {void} */
export function signalTo(pid, name) {
  try {
    if (pid !== undefined) process.kill(pid, name);
  } catch {
    // it has ended
  }
}

/** @param {string} dataDir @returns {boolean} whether one was there */
export function killPostmaster(dataDir) {
  const pid = findPostmaster(dataDir);
  if (pid === undefined) return false;
  process.kill(pid, 'SIGQUIT');
  // where the bench had stopped it
  processTree(pid).forEach((each) => signalTo(each, 'SIGCONT'));
  return true;
}
