// Installs and builds only stale parts, and continues with the Node of the lock file. Plain JavaScript without
// dependencies: it runs before `npm ci`, on Node 20.20 and newer.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAMP = join(root, 'node_modules', '.postmesh-installed');
/** Able to run npm and this file. */
const LEAST_NODE = '20.20.0';
const STOP_SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** Returns in a process of the wanted Node only: an older one hands over to it and ends with its exit code. */
export async function prepare({ quiet = false } = {}) {
  if (isOlder(process.versions.node, LEAST_NODE)) {
    console.error(
      `Postmesh needs Node ${LEAST_NODE} or newer to begin with; this is ${process.versions.node}`,
    );
    process.exit(1);
  }
  installIfStale(quiet);
  if (isOlder(process.versions.node, wantedNode())) await goOnWith(installedNode());
  linkCommandLine();
  build();
  await buildConsole();
}

/** The floor of the code: `engines` of package.json. */
function wantedNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return engines.node.replace('>=', '');
}

/** npm puts it where its scripts look first, so that only the first step of a new checkout runs on another Node. */
function installedNode() {
  const installed = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  if (existsSync(installed)) return installed;
  console.error(
    `Postmesh runs on Node ${wantedNode()} or newer; this is ${process.versions.node}, and npm has none for ` +
      `${process.platform}-${process.arch}: install it and try again`,
  );
  process.exit(1);
}

/** @param {string} node the same command in a process of this one */
async function goOnWith(node) {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  for (const signal of STOP_SIGNALS) process.on(signal, () => child.kill(signal));
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (exitCode, signal) => resolve(exitCode ?? (signal === null ? 1 : 130)));
  });
  process.exit(Number(code));
}

/** @param {string} version @param {string} least */
function isOlder(version, least) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

/** The lock file and the platform determine the installation. */
function installIfStale(quiet) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const wanted = createHash('sha256')
    .update(lock)
    .update(`${process.platform}-${process.arch}`)
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  if (!quiet) console.error('installing dependencies (first time: about half a minute) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { ...process.env, PATH: outsidePath() });
  writeFileSync(STAMP, wanted);
}

/** npx goes through the whole tree of packages for a program that is not linked here: half a second. */
function linkCommandLine() {
  const link = join(root, 'node_modules', '.bin', 'postmesh');
  if (process.platform === 'win32' || existsSync(link)) return;
  try {
    symlinkSync('../../tools/postmesh.mjs', link);
  } catch {
    // npx finds it, too
  }
}

/** TypeScript's build mode finds stale projects: half a second when there is none. */
function build() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const built = spawnSync(process.execPath, [tsc, '-b'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (built.status === 0) return;
  // an interrupted build may have left a partial result that looks complete
  run(process.execPath, [tsc, '-b', '--force']);
}

/** A look at its files takes milliseconds, and a build two seconds. */
async function buildConsole() {
  const script = join(root, 'services', 'console', 'build.mjs');
  const { isStale } = await import(pathToFileURL(script).href);
  if (isStale()) run(process.execPath, [script]);
}

/** npm reads the settings of the Node that it came with, and replaces the one of this checkout. */
export const outsidePath = () =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== join(root, 'node_modules', '.bin'))
    .join(delimiter);

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
function run(command, args, env = process.env) {
  const done = spawnSync(command, args, {
    cwd: root,
    env,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (done.status === 0) return;
  console.error(`${command} ${args.join(' ')} failed`);
  process.exit(done.status ?? 1);
}
