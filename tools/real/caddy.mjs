#!/usr/bin/env node
// A real Caddy: from the PATH, or Debian's package when root may install it. Tests start their own.
// node tools/real/caddy.mjs     prints CADDY=<path>
import { pathToFileURL } from 'node:url';
import { findProgram } from './debian-program.mjs';

/**
 * Where Caddy is; it is not started.
 * @returns {Promise<{env: {CADDY: string}, stop: () => Promise<void>}>}
 */
export async function findCaddy() {
  return { env: { CADDY: findProgram({ name: 'caddy', debianPackage: 'caddy' }) }, stop: async () => {} };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`CADDY=${(await findCaddy()).env.CADDY}`);
}
