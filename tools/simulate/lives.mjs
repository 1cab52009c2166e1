// @ts-check
// Lives in processes of their own, side by side.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ kind: 'life', life: number, steps: number, hash: number, virtualMs: number, faults: number, attempts: number }
 *   | { kind: 'failed', life: number, hash: number, breaches: import('./subjects.mjs').Breach[],
 *       plan: string[], trace: string[] }} Report
 */
/** @typedef {Extract<Report, { kind: 'failed' }>} Failure */
/**
 * @typedef {object} Totals
 * @property {number} lives
 * @property {number} steps each is one decision of the scheduler
 * @property {number} virtualMs
 * @property {number} faults
 * @property {number} attempts
 * @property {number} seconds of the machine
 * @property {Map<number, number>} hashes of the traces, by life
 * @property {Failure | undefined} failure of the first life that failed
 * @property {string} stderr
 */

const SCRIPT = fileURLToPath(new URL('./lives-process.mjs', import.meta.url));

/**
 * @param {{ of: string, seed: number, from?: number, lives: number, seconds?: number, processes?: number, mutation?: string, isTraced?: boolean, isShrunk?: boolean }} options `isShrunk`: a life that fails is made shorter
 * @returns {Promise<Totals>}
 */
export async function runLives({
  of,
  seed,
  from = 0,
  lives,
  seconds = 86_400,
  processes = 1,
  mutation,
  isTraced,
  isShrunk,
}) {
  const began = performance.now();
  /** @type {Totals} */
  const totals = {
    lives: 0,
    steps: 0,
    virtualMs: 0,
    faults: 0,
    attempts: 0,
    seconds: 0,
    hashes: new Map(),
    failure: undefined,
    stderr: '',
  };
  const orders = Array.from({ length: Math.min(processes, lives) }, (_, nth) => ({
    ...{ of, seed, from: from + nth, stride: processes, seconds, mutation, isTraced, isShrunk },
    lives: Math.ceil((lives - nth) / processes),
  }));
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const children = new Set();
  await Promise.all(orders.map((order) => inProcess(order, totals, children)));
  totals.seconds = (performance.now() - began) / 1_000;
  return totals;
}

/**
 * @param {import('./lives-process.mjs').Order} order @param {Totals} totals
 * @param {Set<import('node:child_process').ChildProcess>} children all of the run
 * @returns {Promise<void>}
 */
function inProcess(order, totals, children) {
  const child = fork(SCRIPT, [JSON.stringify(order)], { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  children.add(child);
  child.stderr?.on('data', (text) => (totals.stderr += text));
  child.on('message', (/** @type {Report} */ report) => {
    if (report.kind === 'failed') {
      if (!totals.failure || report.life < totals.failure.life) totals.failure = report;
      // where any failure will do, the others end with their life
      if (order.isShrunk === false)
        for (const other of children) if (other !== child && other.connected) other.disconnect();
      return;
    }
    totals.lives++;
    totals.hashes.set(report.life, report.hash);
    totals.steps += report.steps;
    totals.virtualMs += report.virtualMs;
    totals.faults += report.faults;
    totals.attempts += report.attempts;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a process of lives ended with ${code}: ${totals.stderr.slice(-2_000)}`));
    });
  });
}
