import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './failure.js';

/** The user of the server process. Empty = the user of this process. */
export interface ServerIdentity {
  uid?: number;
  gid?: number;
}

// PostgreSQL refuses to run as root. The unprivileged user 65534 exists in every passwd file (initdb requires an
// entry), so no user has to be created. On macOS its id is -2, which chown and setuid spell differently; `_postgres`
// has had number 216 there since the first macOS.
const UNPRIVILEGED = process.platform === 'darwin' ? { uid: 216, gid: 216 } : { uid: 65_534, gid: 65_534 };

const startedByRoot = (): boolean => process.getuid?.() === 0;

/** For root: the owner of a cluster that exists already, else an unprivileged user. */
export async function serverIdentity(clusterDir: string): Promise<ServerIdentity> {
  if (!startedByRoot()) return {};
  const owner = await stat(clusterDir).catch(() => undefined);
  return owner !== undefined && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : UNPRIVILEGED;
}

/** The result of `stat` for one file or folder. */
interface Entry {
  uid: number;
  gid: number;
  mode: number;
}

const READ = 0o4;
const ENTER = 0o1;

/** The mode bits that apply to this user: of the owner, of the group, or of others. */
function bitsFor(entry: Entry, who: { uid: number; gid: number }): number {
  if (entry.uid === who.uid) return (entry.mode >> 6) & 0o7;
  return entry.gid === who.gid ? (entry.mode >> 3) & 0o7 : entry.mode & 0o7;
}

/** Whether the user may walk through all these folders. Root's powers and ACLs do not count. */
export const mayEnterAll = (folders: readonly Entry[], who: { uid: number; gid: number }): boolean =>
  folders.every((folder) => (bitsFor(folder, who) & ENTER) !== 0);

/** Whether the user may read and execute this file. */
export const mayExecute = (file: Entry, who: { uid: number; gid: number }): boolean =>
  (bitsFor(file, who) & (READ | ENTER)) === (READ | ENTER);

/** The folder and every folder above it, outermost first. */
function withAncestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [...withAncestors(parent), folder];
}

/** Whether the server's user can walk to this folder. @param folder absolute, without symlinks */
async function canEnter(folder: string, who: ServerIdentity): Promise<boolean> {
  if (who.uid === undefined || who.gid === undefined) return true;
  const entries = await Promise.all(withAncestors(folder).map((path) => stat(path)));
  return mayEnterAll(entries, { uid: who.uid, gid: who.gid });
}

/** Whether the server's user can walk to this file, read it and run it. */
export async function canExecute(file: string, who: ServerIdentity): Promise<boolean> {
  if (who.uid === undefined || who.gid === undefined) return true;
  if (!(await canEnter(dirname(file), who))) return false;
  return mayExecute(await stat(file), { uid: who.uid, gid: who.gid });
}

/** The working folder of the process that resolves it, whatever the rights of the folders above. */
const OWN_WORKING_FOLDER = '/proc/self/cwd';

/**
 * The name of the data folder for the server's user. That user cannot walk to a folder below one that only root may
 * enter, but a process can have it as its working folder: the child changes into it while still root, and
 * `/proc/self/cwd` then resolves without a walk.
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
