#!/usr/bin/env node
// A real name server that is not ours, Knot DNS: from the PATH, or Debian's package when root may install it. Tests
// start their own, each with its zones.
// node tools/real/knot.mjs     prints KNOTD=<path>
import { pathToFileURL } from 'node:url';
import { findProgram } from './debian-program.mjs';

/**
 * Where Knot DNS is; it is not started.
 * @returns {Promise<{env: {KNOTD: string}, stop: () => Promise<void>}>}
 */
export async function findKnot() {
  const path = findProgram({ name: 'knotd', debianPackage: 'knot' });
  return { env: { KNOTD: path }, stop: async () => {} };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`KNOTD=${(await findKnot()).env.KNOTD}`);
}
