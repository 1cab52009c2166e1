import { execFile } from 'node:child_process';
import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as nap } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError, codeOf } from './failure.js';
import { parsePostmasterFile, type PostmasterFile } from './postmaster-pid.rules.js';

const run = promisify(execFile);

/** A server as its data folder shows it. */
export interface Postmaster {
  /** PGDATA */
  data: string;
  /** the `cluster_name` it must carry */
  name: string;
}

/**
 * The server that runs on this data folder, if any. A file left behind by a dead one counts as none;
 * where its number now belongs to another process (after a reboot, in a new container), PostgreSQL
 * would refuse to start, so the file is taken away.
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
  // a server that goes away between two statements is an answer, not a crash of ours
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string }>("select current_setting('cluster_name') as name");
    return rows[0]?.name === server.name;
  } catch (error) {
    if (codeOf(error) === '28P01') {
      throw new EmbeddedPostgresError('the running server refuses the password kept beside its data', {
        cause: error,
      });
    }
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const FAST_STOP_MS = 6_000;
const IMMEDIATE_STOP_MS = 2_000;

/**
 * Fast shutdown (sessions are ended, a checkpoint is written), then, when that takes too long, an
 * immediate one: the next start replays the log, nothing committed is lost. Takes at most 9 s.
 */
export async function stopPostmaster(server: Postmaster, pid: number, binaries: Binaries): Promise<void> {
  const ways: readonly [NodeJS.Signals, number][] = [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', IMMEDIATE_STOP_MS],
    ['SIGKILL', 1_000],
  ];
  for (const [signal, limitMs] of ways) {
    await sendSignal(pid, signal, binaries);
    if (await isGone(server, pid, limitMs)) return;
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
  const until = Date.now() + limitMs;
  while (Date.now() < until) {
    if ((await findPostmaster(server))?.pid !== pid && !(await runsStill(server, pid))) return true;
    await nap(10);
  }
  return false;
}

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
