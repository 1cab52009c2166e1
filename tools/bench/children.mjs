// Every process and folder that the bench makes is known here and gone when it ends, however it ends.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const running = new Set();
const folders = new Set();
const lastResorts = new Map();

process.once('exit', cleanUpNow);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

/** @param cleanUp called at the very end, synchronously, for what is not a child (a server that was set free) */
export const lastResort = (key, cleanUp) => void lastResorts.set(key, cleanUp);

export const noLastResort = (key) => void lastResorts.delete(key);

/** Readable by other users: PostgreSQL and Postfix give their rights up. */
export function makeFolder(name, parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, `postmesh-bench-${name}-`));
  chmodSync(folder, 0o755);
  folders.add(folder);
  return folder;
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
}

/** Starts a program. @returns the child as `adopt` leaves it */
export const startChild = (command, args, options = {}) =>
  adopt(spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options }));

/**
 * @returns the child, with `ended` (resolves with `{code, signal}`, never rejects) and `output()` (the last
 * 4,000 characters of stderr and stdout, for error messages)
 */
export function adopt(child) {
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

/** @returns {Promise<boolean>} whether the child ended by itself within the time given to it */
export async function stopChild(child, { signal = 'SIGTERM', graceMs = 15_000 } = {}) {
  if (!running.has(child)) return true;
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  const ended = await child.ended;
  clearTimeout(timer);
  return ended.signal !== 'SIGKILL';
}

/** @throws Error when the child fails or takes too long */
export async function runToEnd(command, args, { limitMs = 30_000, ...options } = {}) {
  const child = startChild(command, args, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const { code } = await child.ended;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${command} failed (${code ?? 'out of time'}): ${child.output()}`);
  return child.output();
}

/** Free at this moment; for programs that cannot choose one themselves. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
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
