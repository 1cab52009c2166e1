import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { EmbeddedPostgresError } from './failure.js';
import { canEnter } from './reachability.js';
import type { ServerIdentity } from './server-identity.js';

/** The working folder of the process that asks, whoever may walk to it. */
const OWN_WORKING_FOLDER = '/proc/self/cwd';

/**
 * How the server's user names its data folder. Below a folder that only root may enter it cannot walk
 * there, but it can stand in it: the child changes into the folder while still root, and
 * `/proc/self/cwd` then leads back without a walk.
 */
export async function dataFolderName(folder: string, who: ServerIdentity): Promise<string> {
  const real = await realpath(folder);
  if (await canEnter(real, who)) return real;
  if (process.platform === 'linux') return OWN_WORKING_FOLDER;
  throw new EmbeddedPostgresError(
    `the unprivileged user ${who.uid} that PostgreSQL runs as may not enter ${real}; choose a data folder outside of private folders`,
  );
}

/**
 * Starts a PostgreSQL program as the server's user in a given folder, with an environment that holds
 * nothing of ours: secrets stay here, messages are English, times are UTC.
 */
export function spawnAs(
  who: ServerIdentity,
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'stdio' | 'detached'>,
): ChildProcess {
  // programs on Windows need variables that only Windows knows
  const env = process.platform === 'win32' ? {} : { env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' } };
  return spawn(program, [...args], { ...options, ...env, ...who, windowsHide: true });
}
