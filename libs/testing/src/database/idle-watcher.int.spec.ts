import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@postmesh/database';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withClient } from './test-server.js';

const script = fileURLToPath(new URL('../../idle-watcher.mjs', import.meta.url));
let folder: string;
let server: EmbeddedPostgres;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postmesh-idle-'));
  server = await startEmbeddedPostgres({
    dataDir: folder,
    settings: { fsync: 'off', shared_buffers: '16MB' },
  });
});

afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function watch(options: { idleMs: number; everyMs: number }) {
  const watcher = spawn(process.execPath, [script], { stdio: ['pipe', 'inherit', 'inherit'] });
  watcher.stdin.end(JSON.stringify({ url: server.url, pid: server.pid, lock: 1, ...options }));
  return watcher;
}

it('stops an idle server, and ends', async () => {
  const watcher = watch({ idleMs: 200, everyMs: 20 });
  expect(await once(watcher, 'exit')).toEqual([0, null]);
  const outcome = () =>
    withClient(server.url, () => Promise.resolve('answers')).catch((error: unknown) => String(error));
  await expect.poll(outcome).toMatch(/ECONNREFUSED|ENOENT/);
});

it('leaves a server alone while a client is connected', async () => {
  const begun = Date.now();
  let watcher: ReturnType<typeof watch> | undefined;
  await withClient(server.url, async (client) => {
    watcher = watch({ idleMs: 100, everyMs: 20 });
    await client.query('select pg_sleep(1.5)');
    expect(watcher.exitCode).toBeNull();
  });
  if (watcher?.exitCode === null) await once(watcher, 'exit');
  expect(Date.now() - begun).toBeGreaterThan(1_500);
});

it('is one of a kind per server', async () => {
  const first = watch({ idleMs: 1_500, everyMs: 20 });
  await withClient(server.url, async (client) => {
    const held = async () =>
      (await client.query("select 1 from pg_locks where locktype = 'advisory' and granted")).rowCount === 1;
    await expect.poll(held).toBe(true);
    const second = watch({ idleMs: 1_500, everyMs: 20 });
    expect(await once(second, 'exit')).toEqual([0, null]);
    expect(first.exitCode).toBeNull();
  });
  await once(first, 'exit');
});
