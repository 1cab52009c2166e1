// One background program per directory: `<dir>/daemon.json` names its process, so that a second start finds
// it, a stop ends exactly that one, and the leftovers of a kill -9 are recognised.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const repository = resolve(import.meta.dirname, '../..');
export const cacheDir = join(repository, '.cache');

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function commandLine(pid) {
  if (existsSync(`/proc/${pid}/cmdline`))
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

function answers(port) {
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1000 });
    const end = (result) => {
      socket.destroy();
      done(result);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
}

const stateFile = (dir) => join(dir, 'daemon.json');

function readState(dir) {
  try {
    return JSON.parse(readFileSync(stateFile(dir), 'utf8'));
  } catch {
    return undefined;
  }
}

// A pid alone proves nothing (pids are reused): the command line must have the mark, too.
const isOurs = (state) => isAlive(state.pid) && commandLine(state.pid).includes(state.mark);

/** @returns {Promise<{pid: number, port: number, owner: number|null, mark: string}|undefined>} the running process of this directory */
async function findDaemon(dir) {
  const state = readState(dir);
  return state && isOurs(state) && (await answers(state.port)) ? state : undefined;
}

async function withLock(dir, work) {
  const lock = join(dir, 'lock');
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const holder = Number(existsSync(lock) ? readFileSync(lock, 'utf8') : 0);
      // The pid is written a moment after the file is created: only a lock that stays empty is left by a crash.
      if ((holder > 0 && !isAlive(holder)) || (holder === 0 && tries > 20)) rmSync(lock, { force: true });
      if (tries > 1200) throw new Error(`another start holds ${lock}`);
      await pause(100);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

async function waitUntil(condition, ms) {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    if (await condition()) return true;
    await pause(50);
  }
  return false;
}

async function launch(dir, plan, owner) {
  const logPath = join(dir, 'daemon.log');
  const log = openSync(logPath, 'a');
  const child = spawn(plan.command, plan.args, { cwd: dir, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  await new Promise((done, fail) => child.once('spawn', done).once('error', fail));
  child.unref();
  const state = { pid: /** @type {number} */ (child.pid), port: plan.port, mark: plan.mark, owner };
  writeFileSync(stateFile(dir), JSON.stringify(state));
  const up = await waitUntil(async () => child.exitCode !== null || (await plan.isReady()), 60_000);
  if (!up || child.exitCode !== null) {
    await stopDaemon(dir);
    const tail = existsSync(logPath) ? readFileSync(logPath, 'utf8').slice(-2000) : '';
    throw new Error(`${plan.command} did not come up; the end of ${logPath}:\n${tail}`);
  }
  return state;
}

/**
 * Finds the running daemon of a directory or starts a fresh one.
 * @param {string} dir of its data, log and state
 * @param {() => Promise<{command: string, args: string[], port: number, mark: string, isReady: () => Promise<boolean>}>} plan
 *   called only when nothing runs; `mark` is a text that the process shows in its command line
 * @param {{owned?: boolean, keepData?: boolean}} [how] owned: it belongs to this process, whose end makes it a leftover
 *   for the next start; keepData: begin with the data of the last run instead of none
 * @returns {Promise<{port: number, pid: number, started: boolean, stop: () => Promise<void>}>} stop ends it only when it is owned
 */
export async function startDaemon(dir, plan, { owned = false, keepData = false } = {}) {
  mkdirSync(dir, { recursive: true });
  return withLock(dir, async () => {
    const running = await findDaemon(dir);
    const isLeftover = running?.owner != null && !isAlive(running.owner);
    const mine = owned && (!running || isLeftover);
    const owner = owned ? process.pid : null;
    let state = running;
    if (!state) {
      await stopDaemon(dir);
      if (!keepData) rmSync(join(dir, 'data'), { recursive: true, force: true });
      rmSync(join(dir, 'daemon.log'), { force: true });
      state = await launch(dir, await plan(), owner);
    } else if (isLeftover) {
      writeFileSync(stateFile(dir), JSON.stringify({ ...state, owner }));
    }
    return {
      port: state.port,
      pid: state.pid,
      started: !running,
      stop: async () => mine && void (await stopDaemon(dir)),
    };
  });
}

/** Ends the process of this directory, by its pid, and no other. @returns {Promise<boolean>} whether anything ran */
export async function stopDaemon(dir) {
  const state = readState(dir);
  rmSync(stateFile(dir), { force: true });
  if (!state || !isOurs(state)) return false;
  process.kill(state.pid, 'SIGTERM');
  if (!(await waitUntil(() => !isOurs(state), 15_000))) {
    process.kill(state.pid, 'SIGKILL');
    await waitUntil(() => !isOurs(state), 5_000);
  }
  return true;
}

/** The command line of kafka.mjs and redis.mjs: start, stop, status. */
export async function runCommand(name, dir, start) {
  const command = process.argv[2];
  const print = (env) => Object.entries(env).forEach(([key, value]) => console.log(`${key}=${value}`));
  if (command === 'start') {
    print((await start({})).env);
  } else if (command === 'stop') {
    console.log((await stopDaemon(dir)) ? `${name} stopped` : `${name} was not running`);
  } else if (command === 'status') {
    const running = await findDaemon(dir);
    if (running) print((await start({})).env);
    else console.log(`${name} is not running`);
    process.exitCode = running ? 0 : 1;
  } else {
    console.error(`usage: node tools/real/${name}.mjs start|stop|status`);
    process.exitCode = 2;
  }
}
