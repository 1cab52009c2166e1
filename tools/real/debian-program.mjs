// @ts-check
// Programs of other makers that tests start themselves: from the PATH, or Debian's package when root may install it.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @param {string} program @returns {string | undefined} its path; Debian keeps servers where only root's PATH leads */
function installed(program) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** @param {string} program @param {string} debianPackage */
function install(program, debianPackage) {
  if (process.getuid?.() !== 0) {
    throw new Error(`${program} is not on the PATH (Debian: apt-get install ${debianPackage})`);
  }
  // RUNLEVEL=1 keeps the package from starting a server of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const args = ['install', '-y', '-q', '--no-install-recommends', debianPackage];
  if (spawnSync('apt-get', args, { env }).status !== 0) {
    execFileSync('apt-get', ['update', '-q'], { env, stdio: 'pipe' });
    execFileSync('apt-get', args, { env, stdio: 'pipe' });
  }
}

/**
 * Where a program is; it is not started.
 * @param {{ setting: string, program: string, debianPackage: string }} wanted
 * @returns {Promise<{ env: Record<string, string>, stop: () => Promise<void> }>}
 */
export async function findProgram({ setting, program, debianPackage }) {
  if (!installed(program)) install(program, debianPackage);
  const path = installed(program);
  if (!path) throw new Error(`${program} could not be installed`);
  return { env: { [setting]: path }, stop: async () => {} };
}
