import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lchown,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError, codeOf } from './failure.js';
import { dataFolderName, spawnAs, type ServerIdentity } from './server-user.js';

const INITDB_LIMIT_MS = 120_000;
const STALE_INITDB_MS = 600_000;

/** Where things lie below the data folder. */
export interface ClusterPaths {
  folder: string;
  /** PGDATA */
  data: string;
  /** of the superuser `postgres` */
  password: string;
  port: string;
  log: string;
}

export function clusterPaths(dataDir: string): ClusterPaths {
  return pathsIn(join(resolve(dataDir), 'instance'));
}

export function pathsIn(folder: string): ClusterPaths {
  return {
    folder,
    data: join(folder, 'cluster'),
    password: join(folder, 'password'),
    port: join(folder, 'port'),
    log: join(folder, 'server.log'),
  };
}

/**
 * Identifies the folder that a running server serves: the server carries this as `cluster_name`. A copy of the folder
 * has another name, so the original is never taken for its copy.
 */
export async function clusterName(paths: ClusterPaths): Promise<string> {
  const { dev, ino } = await stat(paths.data, { bigint: true });
  return `postmesh-${dev.toString(36)}-${ino.toString(36)}`;
}

export async function readPassword(paths: ClusterPaths): Promise<string> {
  return (await readFile(paths.password, 'utf8')).trim();
}

/**
 * Creates the cluster where there is none. It gets its name when it is complete: of two concurrent starts one wins,
 * and a start that was killed leaves nothing that could be taken for a cluster.
 */
export async function ensureCluster(
  paths: ClusterPaths,
  binaries: Binaries,
  who: ServerIdentity,
): Promise<void> {
  if (await isFolder(paths.folder)) return handOver(paths.data, who);
  const base = dirname(paths.folder);
  await mkdir(base, { recursive: true });
  await removeStaleAttempts(base);
  const attempt = pathsIn(await mkdtemp(join(base, 'initdb-')));
  try {
    await prepareFolders(attempt, who);
    await runInitdb(attempt, binaries, who);
    await makePrivate(attempt.password);
    await rename(attempt.folder, paths.folder).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error) ?? '')) throw error;
    });
    await syncFolder(base);
  } finally {
    await rm(attempt.folder, { recursive: true, force: true });
  }
}

/** Data that root copied or restored belongs to root, which PostgreSQL does not accept. */
async function handOver(folder: string, who: ServerIdentity): Promise<void> {
  if (who.uid === undefined || who.gid === undefined || (await stat(folder)).uid === who.uid) return;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), who.uid, who.gid);
  }
  // last, since the owner of the folder marks the change as complete
  await chown(folder, who.uid, who.gid);
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

async function prepareFolders(paths: ClusterPaths, who: ServerIdentity): Promise<void> {
  await mkdir(paths.data, { mode: 0o700 });
  const password = randomBytes(24).toString('base64url');
  await writeFile(paths.password, `${password}\n`, { mode: 0o600, flush: true });
  if (who.uid === undefined || who.gid === undefined) return;
  await chmod(paths.folder, 0o711);
  await chown(paths.data, who.uid, who.gid);
  await chown(paths.password, who.uid, who.gid);
}

/** The server knows the password by its SCRAM verifier; the text is for us alone. */
async function makePrivate(file: string): Promise<void> {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid !== undefined && gid !== undefined) await chown(file, uid, gid);
  await chmod(file, 0o600);
}

async function runInitdb(paths: ClusterPaths, binaries: Binaries, who: ServerIdentity): Promise<void> {
  const args = [
    `--pgdata=${await dataFolderName(paths.data, who)}`,
    '--username=postgres',
    // relative to the data folder, the working folder of initdb
    '--pwfile=../password',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // the same order of strings on every machine, whatever locales it has
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
  const child = spawnAs(who, binaries.initdb, args, { cwd: paths.data, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  await new Promise<void>((resolveRun, reject) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), INITDB_LIMIT_MS);
    child.once('error', (error) => {
      clearTimeout(limit);
      reject(new EmbeddedPostgresError(`initdb cannot be run: ${error.message}`, { cause: error }));
    });
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      if (code === 0) resolveRun();
      else reject(new EmbeddedPostgresError(`initdb failed (${code ?? signal}):\n${output}`));
    });
  });
}

/** The new name must survive a power cut as the data below it does. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeStaleAttempts(base: string): Promise<void> {
  for (const name of await readdir(base)) {
    if (!name.startsWith('initdb-')) continue;
    const path = join(base, name);
    const entry = await stat(path).catch(() => undefined);
    if (entry !== undefined && Date.now() - entry.mtimeMs > STALE_INITDB_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
