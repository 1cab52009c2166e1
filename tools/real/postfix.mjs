#!/usr/bin/env node
// A mail host that is not ours, Postfix: from the PATH, or Debian's package when root may install it. Tests start their
// own, each with its settings and queue; it starts for root only.
// node tools/real/postfix.mjs     prints POSTFIX=<path>
import { pathToFileURL } from 'node:url';
import { findProgram } from './debian-program.mjs';

/**
 * Where Postfix is; it is not started.
 * @returns {Promise<{env: {POSTFIX: string}, stop: () => Promise<void>}>}
 */
export async function findPostfix() {
  if (process.getuid?.() !== 0) throw new Error('Postfix starts for root only');
  const path = findProgram({ name: 'postfix', debianPackage: 'postfix' });
  return { env: { POSTFIX: path }, stop: async () => {} };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`POSTFIX=${(await findPostfix()).env.POSTFIX}`);
}
