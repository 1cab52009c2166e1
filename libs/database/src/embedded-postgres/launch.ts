import { constants } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { setTimeout as nap } from 'node:timers/promises';
import type { Binaries } from './binaries.js';
import type { ClusterPaths } from './cluster.js';
import { EmbeddedPostgresError } from './failure.js';
import { explainStartFailure, type StartFailure } from './postmaster-pid.rules.js';
import { findPostmaster, type Postmaster } from './postmaster.js';
import { dataFolderName, spawnAs } from './run-program.js';
import type { ServerIdentity } from './server-identity.js';

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
  child.once('exit', (code, signal) => (ended = `exit ${code ?? signal}`));
  child.unref();
  try {
    while (ended === undefined && Date.now() < launch.deadline) {
      const file = await findPostmaster(launch.server);
      if (file !== undefined && file.pid === child.pid && file.status === 'ready') return { pid: file.pid };
      await nap(5);
    }
    const text = await readFrom(launch.paths.log, log.size);
    const failure = ended === undefined ? 'broken' : explainStartFailure(text);
    if (failure !== 'broken') return failure;
    if (ended === undefined) child.kill('SIGQUIT');
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
