#!/usr/bin/env node
// A real browser, Chromium: from the PATH, or Debian's package when root may install it. Tests start their own.
// node tools/real/chromium.mjs     prints CHROMIUM=<path>
import { pathToFileURL } from 'node:url';
import { findProgram } from './debian-program.mjs';

/**
 * Where Chromium is; it is not started.
 * @returns {Promise<{env: {CHROMIUM: string}, stop: () => Promise<void>}>}
 */
export async function findChromium() {
  const path = findProgram({ name: 'chromium', debianPackage: 'chromium' });
  return { env: { CHROMIUM: path }, stop: async () => {} };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`CHROMIUM=${(await findChromium()).env.CHROMIUM}`);
}
