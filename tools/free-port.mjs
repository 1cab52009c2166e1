// @ts-check
// Ports for programs that cannot choose one themselves.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the range from which systems take the ports of outgoing connections (Linux: 32768): such a connection could take
// the port before its program starts.
const PORTS = /** @type {const} */ ([12_000, 32_000]);
const TRIES = 100;

/** @type {Set<number>} */
const given = new Set();

/** @returns {Promise<number>} a loopback port that is free at this moment, and given once by this process */
export async function freePort() {
  for (let left = TRIES; left > 0; left -= 1) {
    const port = randomInt(...PORTS);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`none of ${TRIES} ports between ${PORTS.join(' and ')} is free`);
}

/** @param {number} port @returns {Promise<boolean>} */
async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
