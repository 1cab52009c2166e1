import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as nap } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Binaries } from './binaries.js';
import type { ClusterPaths } from './cluster.js';
import { EmbeddedPostgresError, codeOf } from './failure.js';
import { dataFolderName, spawnAs, type ServerIdentity } from './server-user.js';

/** The lines of `postmaster.pid` that a running server writes about itself. */
export interface PostmasterFile {
  pid: number;
  /** undefined while the file is still being written */
  port: number | undefined;
  status: 'starting' | 'stopping' | 'ready' | 'standby' | 'unknown';
}

const STATUSES = ['starting', 'stopping', 'ready', 'standby'] as const;

/**
 * Lines of the file: pid, data folder, start time, port, socket folder, address, shared memory, status.
 * They are written one after the other, so later ones may be missing.
 */
export function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  // a negative number is a single-user backend, which leaves no server to speak to
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const port = Number(lines[3]);
  return {
    pid,
    port: Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined,
    status: STATUSES.find((status) => status === lines[7]) ?? 'unknown',
  };
}

/** Why a server that we started has ended at once. */
export type StartFailure = 'port-taken' | 'another-server' | 'broken';

/** @param log what the server wrote, in English (we start it with LC_ALL=C) */
export function explainStartFailure(log: string): StartFailure {
  if (/lock file "[^"]*" already exists|pre-existing shared memory block/.test(log)) return 'another-server';
  if (/could not bind|could not create any TCP\/IP sockets/.test(log)) return 'port-taken';
  return 'broken';
}

const run = promisify(execFile);

/** A server as its data folder shows it. */
export interface Postmaster {
  /** PGDATA */
  data: string;
  /** the `cluster_name` it must carry */
  name: string;
}

/**
 * The server that runs on this data folder, if any. A file left behind by a dead one counts as none. Where its
 * process id now belongs to another process (after a reboot, in a new container), PostgreSQL would refuse to start,
 * so the file is removed.
 */
export async function findPostmaster(server: Postmaster): Promise<PostmasterFile | undefined> {
  const text = await readPidFile(server);
  const file = text === undefined ? undefined : parsePostmasterFile(text);
  if (file === undefined || !isAlive(file.pid)) return undefined;
  const command = await commandLine(file.pid);
  if (command === undefined || command.includes(server.name)) return file;
  if ((await readPidFile(server)) === text) await unlink(pidFile(server)).catch(ignoreMissing);
  return undefined;
}

/** Whether a server answers there, with our password, from this data folder. */
export async function answers(url: string, server: Postmaster): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // a server that ends between two statements is a result, not a crash of this process
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string }>("select current_setting('cluster_name') as name");
    return rows[0]?.name === server.name;
  } catch (error) {
    if (codeOf(error) === '28P01') {
      throw new EmbeddedPostgresError('the running server refuses the password stored with its data', {
        cause: error,
      });
    }
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const STOP_MS = 9_000;
const IMMEDIATE_STOP_MS = 700;
const KILL_MS = 300;

/**
 * Fast shutdown (sessions are ended, a checkpoint is written), then, when that takes too long, an
 * immediate one: the next start replays the log, nothing committed is lost.
 * @param limitMs for all of it
 */
export async function stopPostmaster(
  server: Postmaster,
  pid: number,
  binaries: Binaries,
  limitMs = STOP_MS,
): Promise<void> {
  const ways: readonly [NodeJS.Signals, number][] = [
    ['SIGINT', limitMs - IMMEDIATE_STOP_MS - KILL_MS],
    ['SIGQUIT', IMMEDIATE_STOP_MS],
    ['SIGKILL', KILL_MS],
  ];
  for (const [signal, ms] of ways) {
    // another process may have the id of a server that ended
    if (await hasEnded(server, pid)) return;
    await sendSignal(pid, signal, binaries);
    if (await isGone(server, pid, ms)) return;
  }
}

async function sendSignal(pid: number, signal: NodeJS.Signals, binaries: Binaries): Promise<void> {
  if (process.platform === 'win32') {
    // Windows has no signals; pg_ctl knows how PostgreSQL imitates them
    await run(binaries.pgCtl, ['kill', signal.slice(3), String(pid)]).catch(() => undefined);
    return;
  }
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

async function isGone(server: Postmaster, pid: number, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs;
  while (performance.now() < until) {
    if (await hasEnded(server, pid)) return true;
    await nap(10);
  }
  return false;
}

const hasEnded = async (server: Postmaster, pid: number): Promise<boolean> =>
  (await findPostmaster(server))?.pid !== pid && !(await runsStill(server, pid));

/** The pid file goes a moment before the process does. */
async function runsStill(server: Postmaster, pid: number): Promise<boolean> {
  return isAlive(pid) && ((await commandLine(pid))?.includes(server.name) ?? false);
}

const pidFile = (server: Postmaster): string => join(server.data, 'postmaster.pid');

async function readPidFile(server: Postmaster): Promise<string | undefined> {
  return readFile(pidFile(server), 'utf8').catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
  return undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** undefined = cannot be known here; empty = a process that has ended and waits to be noticed. */
async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  if (process.platform === 'linux') {
    return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  }
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout;
}

const LARGEST_LOG_BYTES = 10_000_000;

export interface Launch {
  paths: ClusterPaths;
  server: Postmaster;
  binaries: Binaries;
  who: ServerIdentity;
  port: number;
  settingArguments: readonly string[];
  /** epoch milliseconds */
  deadline: number;
  /** ends the server that is being started */
  abort: AbortSignal;
}

/**
 * Starts the server and waits until it takes connections.
 * @returns its pid, or why it ended although another try may succeed
 * @throws EmbeddedPostgresError with the end of its log when it will not start
 */
export async function launchServer(launch: Launch): Promise<{ pid: number } | StartFailure> {
  const log = await openLog(launch.paths.log);
  const name = await dataFolderName(launch.paths.data, launch.who);
  const args = ['-D', name, '-p', String(launch.port), '-c', `cluster_name=${launch.server.name}`];
  let ended: string | undefined;
  // detached: Ctrl-C in the terminal reaches us, who stop it when our own work is done
  const child = spawnAs(launch.who, launch.binaries.postgres, [...args, ...launch.settingArguments], {
    cwd: launch.paths.data,
    stdio: ['ignore', log.handle.fd, log.handle.fd],
    detached: true,
  });
  child.once('error', (error) => (ended = error.message));
  const gone = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = `exit ${code ?? signal}`;
      resolve();
    });
  });
  child.unref();
  try {
    while (ended === undefined && performance.now() < launch.deadline && !launch.abort.aborted) {
      const file = await findPostmaster(launch.server);
      if (file !== undefined && file.pid === child.pid && file.status === 'ready') return { pid: file.pid };
      await nap(5);
    }
    const text = await readFrom(launch.paths.log, log.size);
    const failure = ended === undefined ? 'broken' : explainStartFailure(text);
    if (failure !== 'broken') return failure;
    if (ended === undefined) {
      child.kill('SIGQUIT');
      await Promise.race([gone, nap(IMMEDIATE_STOP_MS)]);
    }
    throw new EmbeddedPostgresError(
      `PostgreSQL did not start (${ended ?? 'too slow'}):\n${text.slice(-4_000)}`,
    );
  } finally {
    await log.handle.close();
  }
}

async function openLog(path: string) {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > LARGEST_LOG_BYTES) await rename(path, `${path}.1`);
  const handle = await open(path, constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY, 0o600);
  return { handle, size: size > LARGEST_LOG_BYTES ? 0 : size };
}

async function readFrom(path: string, position: number): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64_000), 0, 64_000, position);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
