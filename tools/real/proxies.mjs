#!/usr/bin/env node
// Proxies that are not ours, HAProxy and microsocks (SOCKS5): from the PATH, or Debian's packages when root may install
// them. Tests start their own.
// node tools/real/proxies.mjs     prints HAPROXY=<path> and MICROSOCKS=<path>
import { pathToFileURL } from 'node:url';
import { findProgram } from './debian-program.mjs';

/**
 * Where HAProxy is; it is not started.
 * @returns {Promise<{env: {HAPROXY: string}, stop: () => Promise<void>}>}
 */
export async function findHaproxy() {
  return {
    env: { HAPROXY: findProgram({ name: 'haproxy', debianPackage: 'haproxy' }) },
    stop: async () => {},
  };
}

/**
 * Where microsocks is; it is not started.
 * @returns {Promise<{env: {MICROSOCKS: string}, stop: () => Promise<void>}>}
 */
export async function findMicrosocks() {
  const path = findProgram({ name: 'microsocks', debianPackage: 'microsocks' });
  return { env: { MICROSOCKS: path }, stop: async () => {} };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`HAPROXY=${(await findHaproxy()).env.HAPROXY}`);
  console.log(`MICROSOCKS=${(await findMicrosocks()).env.MICROSOCKS}`);
}
