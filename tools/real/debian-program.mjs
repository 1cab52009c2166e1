// A program that tests run against: from the PATH, or from Debian's package when root may install it.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @param {string} name @returns {string | undefined} */
function installed(name) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** @param {string} name what the package is wanted for @param {string} debianPackage */
export function install(name, debianPackage) {
  if (process.getuid?.() !== 0)
    throw new Error(`${name} is not on the PATH (Debian: apt-get install ${debianPackage})`);
  // RUNLEVEL=1 keeps packages from starting servers of their own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const args = ['install', '-y', '-q', '--no-install-recommends', debianPackage];
  if (spawnSync('apt-get', args, { env }).status !== 0) {
    execFileSync('apt-get', ['update', '-q'], { env, stdio: 'pipe' });
    execFileSync('apt-get', args, { env, stdio: 'pipe' });
  }
}

/**
 * Where a program is; it is not started.
 * @param {{ name: string, debianPackage: string }} program
 * @returns {string} its path. @throws Error when it is neither there nor can be installed
 */
export function findProgram({ name, debianPackage }) {
  if (!installed(name)) install(name, debianPackage);
  const path = installed(name);
  if (!path) throw new Error(`${name} could not be installed`);
  return path;
}
