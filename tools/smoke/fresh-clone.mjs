// @ts-check
// A fresh clone of this checkout, and its `npm start`, as a new user has them. `cleanUp` ends and removes all of it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as nap } from 'node:timers/promises';
import { outsidePath, root } from '../prepare.mjs';
import { listProjects } from '../sync-projects.mjs';

const FIRST_START_MS = 240_000;
const STOP_MS = 12_000;

/** @typedef {import('node:child_process').ChildProcess} Started */
/** @type {string[]} */
const folders = [];
/** @type {Set<Started>} */
const children = new Set();

/** Last output of the started ones, for error messages. */
let said = '';

export const lastWords = () => said;

export function cleanUp() {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** @typedef {{ base_url: string, account_id: string, api_key: string, mailbox_url: string }} Credentials */

/** A private folder (0700), which the database server must be able to use, although it has another user under root. @returns {string} */
export function clone() {
  const folder = mkdtempSync(join(tmpdir(), 'postmesh-clone-'));
  folders.push(folder);
  const checkout = join(folder, 'postmesh');
  run('git', ['clone', '--quiet', '--no-hardlinks', root, checkout]);
  mkdirSync(join(folder, 'home'));
  chmodSync(folder, 0o700);
  return checkout;
}

/** Packages and builds of this checkout, so that a start installs nothing and builds what has changed. @param {string} checkout */
export function installed(checkout) {
  run('cp', ['-al', join(root, 'node_modules'), join(checkout, 'node_modules')]);
  const builds = listProjects(root).map(({ dir }) => join(dir, 'dist'));
  run('cp', ['-a', '--parents', ...builds.filter((dist) => existsSync(join(root, dist))), checkout]);
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/**
 * `npm start`, until it is ready.
 * @param {string} checkout @param {{ uid?: number, env?: Record<string, string>, limitMs?: number }} [how]
 * @returns {Promise<{ child: Started, credentials: Credentials, seconds: number }>}
 */
export async function start(checkout, { uid, env = {}, limitMs = FIRST_START_MS } = {}) {
  const child = spawn('npm', ['start'], {
    cwd: checkout,
    env: {
      // a new user has no Node of ours
      PATH: outsidePath(),
      HOME: uid === undefined ? process.env.HOME : join(checkout, '..', 'home'),
      POSTMESH_HTTP_PORT: '0',
      POSTMESH_OPERATOR_PORT: '0',
      POSTMESH_MAILBOX_PORT: '0',
      POSTMESH_SUBMISSION_PORTS: '0',
      POSTMESH_MX_PORT: '0',
      POSTMESH_LOG_LEVEL: 'warn',
      ...env,
    },
    ...(uid === undefined ? {} : { uid, gid: uid }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const began = performance.now();
  await untilReady(child, limitMs);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const file = join(resolve(checkout, env['POSTMESH_DATA_DIR'] ?? '.data'), 'credentials.json');
  if (!existsSync(file)) throw new Error('there is no credentials.json');
  return { child, credentials: JSON.parse(readFileSync(file, 'utf8')), seconds };
}

/** @param {Started} child @param {number} limitMs @returns {Promise<void>} */
function untilReady(child, limitMs) {
  return new Promise((resolve, reject) => {
    said = '';
    const timer = setTimeout(() => reject(new Error(`not ready in time:\n${said}`)), limitMs);
    const read = (chunk) => {
      said = (said + chunk.toString()).slice(-20_000);
      if (!/^postmesh ready http/m.test(said)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${said}`)));
  });
}

/**
 * npm ends at once; Postmesh notices that and follows, and removes its pid file last.
 * @param {Started} child @param {string} checkout @param {string} [folder] of its data
 */
export async function stop(child, checkout, folder = '.data') {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  children.delete(child);
  const deadline = Date.now() + STOP_MS;
  while (existsSync(join(resolve(checkout, folder), 'postmesh.pid'))) {
    if (Date.now() > deadline) throw new Error('SIGTERM did not stop it');
    await nap(100);
  }
}
