#!/usr/bin/env node
// A real name server that is not ours, Knot DNS: from the PATH, or Debian's package when root may install it. Tests
// start their own, each with its zones.
// node tools/real/knot.mjs     prints KNOTD=<path>
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @returns {string | undefined} */
function installed() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'knotd')).find((path) => existsSync(path));
}

function install() {
  if (process.getuid?.() !== 0) throw new Error('knotd is not on the PATH (Debian: apt-get install knot)');
  // RUNLEVEL=1 keeps the package from starting a server of its own on port 53.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const args = ['install', '-y', '-q', '--no-install-recommends', 'knot'];
  if (spawnSync('apt-get', args, { env }).status !== 0) {
    execFileSync('apt-get', ['update', '-q'], { env, stdio: 'pipe' });
    execFileSync('apt-get', args, { env, stdio: 'pipe' });
  }
}

/**
 * Where Knot DNS is; it is not started.
 * @returns {Promise<{env: {KNOTD: string}, stop: () => Promise<void>}>}
 */
export async function findKnot() {
  if (!installed()) install();
  const path = installed();
  if (!path) throw new Error('knotd could not be installed');
  return { env: { KNOTD: path }, stop: async () => {} };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`KNOTD=${(await findKnot()).env.KNOTD}`);
}
