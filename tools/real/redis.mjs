#!/usr/bin/env node
// A real Redis without Docker: `redis-server` from the PATH, or Debian's package when root may install it.
// node tools/real/redis.mjs start|stop|status     start prints REDIS_URL=redis://127.0.0.1:<port>
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../free-port.mjs';
import { cacheDir, runCommand, startDaemon } from './daemon.mjs';

const defaultDir = join(cacheDir, 'real/redis');
const isInstalled = () => spawnSync('redis-server', ['--version']).status === 0;

/** It is on the PATH, or installed now; it is not started. */
export function needRedis() {
  if (isInstalled()) return;
  if (process.getuid?.() !== 0)
    throw new Error('redis-server is not on the PATH (Debian: apt-get install redis-server)');
  // RUNLEVEL=1 keeps the package from starting a server of its own on port 6379.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = ['install', '-y', '-q', '--no-install-recommends', 'redis-server'];
  if (spawnSync('apt-get', install, { env }).status !== 0) {
    execFileSync('apt-get', ['update', '-q'], { env, stdio: 'pipe' });
    execFileSync('apt-get', install, { env, stdio: 'pipe' });
  }
  if (!isInstalled()) throw new Error('redis-server could not be installed');
}

function answersPing(port) {
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1000 }, () => socket.write('PING\r\n'));
    const end = (result) => {
      socket.destroy();
      done(result);
    };
    socket.once('data', (data) => end(data.toString().startsWith('+PONG')));
    socket.once('error', () => end(false)).once('timeout', () => end(false));
  });
}

async function plan(dir) {
  needRedis();
  const data = join(dir, 'data');
  mkdirSync(data, { recursive: true });
  // Kept data keep their port, so that clients find the server again.
  const portFile = join(data, 'port');
  const port = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : await freePort();
  writeFileSync(portFile, String(port));
  const settings = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    data,
    '--appendonly',
    'yes',
    '--save',
    '',
  ];
  return {
    command: 'redis-server',
    args: [...settings, '--maxmemory-policy', 'noeviction', '--daemonize', 'no'],
    port,
    // redis-server shows its address, not its arguments
    mark: `127.0.0.1:${port}`,
    isReady: () => answersPing(port),
  };
}

/**
 * Starts Redis, or joins the one that runs for the same directory.
 * @param {{dir?: string, owned?: boolean, keepData?: boolean}} [options] owned (default): `stop` ends what this call
 *   started; keepData: keeps the data and the port of the last run
 * @returns {Promise<{env: {REDIS_URL: string}, pid: number, stop: () => Promise<void>}>}
 */
export async function startRedis({ dir = defaultDir, owned = true, keepData = false } = {}) {
  const daemon = await startDaemon(dir, () => plan(dir), { owned, keepData });
  return { env: { REDIS_URL: `redis://127.0.0.1:${daemon.port}` }, pid: daemon.pid, stop: daemon.stop };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runCommand('redis', defaultDir, () => startRedis({ owned: false }));
}
