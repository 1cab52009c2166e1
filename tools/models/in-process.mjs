// @ts-check
// Work in a process of its own, which gets an order and reports once.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 600_000;

/** @template T @param {string} script of this folder @param {object} order @returns {Promise<T>} @throws Error when it ends without a report */
export function inProcess(script, order) {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = fork(file, [JSON.stringify(order)], { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  let said = '';
  /** @type {T | undefined} */
  let report;
  child.stderr?.on('data', (text) => (said = (said + text).slice(-2_000)));
  child.on('message', (message) => (report = /** @type {T} */ (message)));
  const timer = setTimeout(() => child.kill(), LIMIT_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      if (code === 0 && report !== undefined) resolve(report);
      else reject(new Error(`${script} ended with ${code}: ${said}`));
    });
  });
}
