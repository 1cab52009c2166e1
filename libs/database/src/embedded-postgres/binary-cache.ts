import { chmod, cp, lstat, mkdir, readFile, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { EmbeddedPostgresError, codeOf } from './failure.js';
import { canExecute } from './reachability.js';
import type { ServerIdentity } from './server-identity.js';

const STALE_COPY_MS = 3_600_000;

/** Not the temporary folder first: it is often mounted `noexec`, and swept while the server runs. */
export function defaultCacheRoots(): string[] {
  const uid = process.getuid?.() ?? 0;
  const own = uid === 0 ? '/var/cache/postmesh' : join(homedir(), '.cache', 'postmesh');
  return [own, join(tmpdir(), `postmesh-${uid}`)];
}

/**
 * A copy of the binaries that the server's user can reach: made once per version, complete before it
 * gets its name, so that starts at the same moment do not see half of it.
 * @throws EmbeddedPostgresError when no root can hold one
 */
export async function copyOnce(
  nativeDir: string,
  who: ServerIdentity,
  options: { roots: readonly string[]; prepare(folder: string): Promise<void> },
): Promise<string> {
  const name = await copyName(nativeDir);
  const apiErrors: string[] = [];
  for (const root of options.roots) {
    try {
      await makeTrustedRoot(root);
      const folder = join(await realpath(root), name);
      if (!(await isFolder(folder))) await copyInto(folder, { nativeDir, ...options });
      if (await canExecute(join(folder, 'bin', 'postgres'), who)) return folder;
      apiErrors.push(`${root}: the server's user cannot reach it`);
    } catch (error) {
      apiErrors.push(`${root}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new EmbeddedPostgresError(`no place for the PostgreSQL binaries: ${apiErrors.join('; ')}`);
}

async function copyName(nativeDir: string): Promise<string> {
  const manifest = z
    .object({ version: z.string().regex(/^[\w.+-]+$/) })
    .parse(JSON.parse(await readFile(join(nativeDir, '..', 'package.json'), 'utf8')));
  return `postgres-${manifest.version}-${process.platform}-${process.arch}`;
}

/** We run what lies there, so nobody else may have made it or be able to write to it. */
async function makeTrustedRoot(root: string): Promise<void> {
  const made = await mkdir(root, { recursive: true });
  if (made !== undefined) await chmod(root, 0o755);
  const entry = await lstat(root);
  const trusted =
    entry.isDirectory() && entry.uid === (process.getuid?.() ?? entry.uid) && (entry.mode & 0o022) === 0;
  if (!trusted) throw new EmbeddedPostgresError('belongs to somebody else or others may write to it');
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

async function copyInto(
  folder: string,
  options: { nativeDir: string; prepare(folder: string): Promise<void> },
): Promise<void> {
  await removeStaleCopies(join(folder, '..'));
  const unfinished = join(folder, '..', `.copying-${randomBytes(6).toString('hex')}`);
  try {
    await cp(options.nativeDir, unfinished, { recursive: true, verbatimSymlinks: true });
    await options.prepare(unfinished);
    await openToReaders(unfinished);
    await rename(unfinished, folder).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error) ?? '')) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** An install under `umask 077` leaves files that only their owner reads. */
async function openToReaders(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToReaders(path);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}

async function removeStaleCopies(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith('.copying-')) continue;
    const path = join(root, name);
    const entry = await stat(path).catch(() => undefined);
    if (entry !== undefined && Date.now() - entry.mtimeMs > STALE_COPY_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
