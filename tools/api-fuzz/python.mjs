// A Python environment of the fuzzer: made once per list of requirements, kept until node_modules is removed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { install as installProgram } from '../real/debian-program.mjs';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'postmesh-api-fuzz');
const LEAST_PYTHON = [3, 10];

const STAMP = join(CACHE, 'installed');
const PROGRAMS = join(CACHE, 'venv', 'bin');

/**
 * @param {{install?: boolean}} options false: use only an existing environment
 * @returns {string} the folder with the programs
 * @throws Error when there is no Python, or the packages cannot be installed
 */
export function fuzzerPrograms({ install = true } = {}) {
  const ask = () => run('python3', ['-c', 'import sys, venv, ensurepip; print(*sys.version_info[:2])']);
  let version;
  try {
    version = ask();
  } catch (error) {
    // Debian has the two modules in a package of their own
    if (!install || process.getuid?.() !== 0) throw error;
    installProgram('python3', 'python3-venv');
    version = ask();
  }
  const [major, minor] = version.trim().split(' ').map(Number);
  if (major !== LEAST_PYTHON[0] || minor < LEAST_PYTHON[1]) {
    throw new Error(`Python ${LEAST_PYTHON.join('.')} or newer is needed; this is ${major}.${minor}`);
  }
  const wanted = createHash('sha256').update(readFileSync(REQUIREMENTS)).update(version).digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return PROGRAMS;
  if (!install) throw new Error('node tools/api-fuzz.mjs has not installed it yet');
  installPackages();
  writeFileSync(STAMP, wanted);
  return PROGRAMS;
}

function installPackages() {
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(dirname(PROGRAMS), { recursive: true });
  console.log('installing the fuzzer (first time: about half a minute) …');
  run('python3', ['-m', 'venv', join(CACHE, 'venv')]);
  run(join(PROGRAMS, 'python'), [
    ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'],
    ...['--only-binary', ':all:', '--requirement', REQUIREMENTS],
  ]);
}

function run(command, args) {
  const done = spawnSync(command, args, { encoding: 'utf8', timeout: 180_000 });
  if (done.status === 0) return done.stdout;
  const said = done.error?.message ?? `${done.stderr}`.trim().split('\n').slice(-3).join('\n');
  throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${said}`);
}
