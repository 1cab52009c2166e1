#!/usr/bin/env node
// A verifier of signatures that is not ours, OpenDKIM: from the PATH, or Debian's package when root may install it.
// node tools/real/opendkim.mjs     prints OPENDKIM=<path>
import { pathToFileURL } from 'node:url';
import { findProgram } from './debian-program.mjs';

/**
 * Where OpenDKIM is; it is not started.
 * @returns {Promise<{env: {OPENDKIM: string}, stop: () => Promise<void>}>}
 */
export async function findOpenDkim() {
  const path = findProgram({ name: 'opendkim', debianPackage: 'opendkim' });
  return { env: { OPENDKIM: path }, stop: async () => {} };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`OPENDKIM=${(await findOpenDkim()).env.OPENDKIM}`);
}
