// Installs and builds only what is stale. Plain JavaScript without dependencies: it runs before `npm ci`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAMP = join(root, 'node_modules', '.postmesh-installed');
const LEAST_NODE = [20, 20];

export async function prepare({ quiet = false } = {}) {
  refuseOldNode();
  installIfStale(quiet);
  build();
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return;
  console.error(`Postmesh needs Node ${LEAST_NODE.join('.')} or newer; this is ${process.versions.node}`);
  process.exit(1);
}

/** The lock file and the platform decide what is installed; a checkout moved to another Node installs anew. */
function installIfStale(quiet) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const wanted = createHash('sha256')
    .update(lock)
    .update(`${process.platform}-${process.arch}-${process.versions.modules}`)
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  if (!quiet) console.error('installing dependencies (first time: about half a minute) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(STAMP, wanted);
}

/** TypeScript's build mode looks itself what is stale: half a second when nothing is. */
function build() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const built = spawnSync(process.execPath, [tsc, '-b'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (built.status === 0) return;
  // a build that was cut off may have left half a result that looks whole
  run(process.execPath, [tsc, '-b', '--force']);
}

function run(command, args) {
  const done = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (done.status === 0) return;
  console.error(`${command} ${args.join(' ')} failed`);
  process.exit(done.status ?? 1);
}
