#!/usr/bin/env node
// Prometheus, with promtool: from the PATH, or Debian's package when root may install it. Tests start their own.
// node tools/real/prometheus.mjs     prints PROMETHEUS=<path>
import { pathToFileURL } from 'node:url';
import { findProgram } from './debian-program.mjs';

/**
 * Where Prometheus is; it is not started.
 * @returns {Promise<{env: {PROMETHEUS: string}, stop: () => Promise<void>}>}
 */
export async function findPrometheus() {
  const path = findProgram({ name: 'prometheus', debianPackage: 'prometheus' });
  return { env: { PROMETHEUS: path }, stop: async () => {} };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`PROMETHEUS=${(await findPrometheus()).env.PROMETHEUS}`);
}
