#!/usr/bin/env node
// An SMTP client that is not ours, swaks: from the PATH, or Debian's package when root may install it.
// node tools/real/swaks.mjs     prints SWAKS=<path>
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { findProgram, install } from './debian-program.mjs';

/** It speaks TLS only with a package that it merely recommends. */
const speaksTls = () => spawnSync('perl', ['-MNet::SSLeay', '-e', '1']).status === 0;

/**
 * Where swaks is; it is a client, nothing is started.
 * @returns {Promise<{env: {SWAKS: string}, stop: () => Promise<void>}>}
 */
export async function findSwaks() {
  const path = findProgram({ name: 'swaks', debianPackage: 'swaks' });
  if (!speaksTls()) install('swaks with TLS', 'libnet-ssleay-perl');
  return { env: { SWAKS: path }, stop: async () => {} };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`SWAKS=${(await findSwaks()).env.SWAKS}`);
}
