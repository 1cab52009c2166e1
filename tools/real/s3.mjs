#!/usr/bin/env node
// An S3-compatible server without Docker that checks signatures: S3Proxy on a folder, one jar from Maven Central, Java 17.
// node tools/real/s3.mjs start|stop|status     start prints POSTMESH_S3_ENDPOINT=http://127.0.0.1:<port> and the keys
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../free-port.mjs';
import { cacheDir, runCommand, startDaemon } from './daemon.mjs';

const VERSION = '2.9.0';
const defaultDir = join(cacheDir, 'real/s3');
// Public, since it serves only tests on the loopback.
const KEYS = { POSTMESH_S3_ACCESS_KEY: 'postmesh', POSTMESH_S3_SECRET_KEY: 'a-secret-for-tests' };

function needJava() {
  const { stderr, error } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const major = Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
  if (error || major < 17)
    throw new Error(`S3Proxy ${VERSION} needs Java 17 or newer on the PATH (found: ${major || 'none'})`);
}

/** @returns {string} the jar, fetched once per version */
function fetchS3Proxy() {
  const folder = join(cacheDir, `s3proxy-${VERSION}`);
  const jar = join(folder, `s3proxy-${VERSION}-jar-with-dependencies.jar`);
  if (existsSync(jar)) return jar;
  mkdirSync(cacheDir, { recursive: true });
  const partial = `${folder}.partial-${process.pid}`;
  const goal = [
    '-B',
    '-q',
    'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy',
    `-Dartifact=org.gaul:s3proxy:${VERSION}:jar:jar-with-dependencies`,
    `-DoutputDirectory=${partial}`,
  ];
  try {
    execFileSync('mvn', goal, { cwd: cacheDir, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another start may have fetched the same version meanwhile.
    if (!existsSync(jar))
      throw new Error(`Maven could not fetch S3Proxy ${VERSION}: ${error.stdout || error.message}`);
  }
  return jar;
}

async function plan(dir) {
  needJava();
  const jar = fetchS3Proxy();
  const port = await freePort();
  const data = join(dir, 'data');
  mkdirSync(data, { recursive: true });
  const properties = join(dir, 's3proxy.properties');
  const lines = [
    `s3proxy.endpoint=http://127.0.0.1:${port}`,
    's3proxy.authorization=aws-v4',
    `s3proxy.identity=${KEYS.POSTMESH_S3_ACCESS_KEY}`,
    `s3proxy.credential=${KEYS.POSTMESH_S3_SECRET_KEY}`,
    'jclouds.provider=filesystem-nio2',
    `jclouds.filesystem.basedir=${data}`,
  ];
  writeFileSync(properties, lines.join('\n'));
  return {
    command: 'java',
    args: [
      '-Xmx256m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-jar',
      jar,
      '--properties',
      properties,
    ],
    port,
    mark: properties,
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) !== undefined,
  };
}

/**
 * Starts the server, or joins the one that runs for the same directory. It has no bucket.
 * @param {{dir?: string, owned?: boolean, keepData?: boolean}} [options] owned (default): `stop` ends what this call
 *   started; keepData: keeps the objects of the last run
 * @returns {Promise<{env: {POSTMESH_S3_ENDPOINT: string, POSTMESH_S3_ACCESS_KEY: string, POSTMESH_S3_SECRET_KEY: string},
 *   pid: number, stop: () => Promise<void>}>}
 */
export async function startS3({ dir = defaultDir, owned = true, keepData = false } = {}) {
  const daemon = await startDaemon(dir, () => plan(dir), { owned, keepData });
  const endpoint = `http://127.0.0.1:${daemon.port}`;
  return { env: { POSTMESH_S3_ENDPOINT: endpoint, ...KEYS }, pid: daemon.pid, stop: daemon.stop };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runCommand('s3', defaultDir, () => startS3({ owned: false }));
}
