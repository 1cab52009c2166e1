// @ts-check
// Of the tier `full`, as it compiles a library for Linux: node --test tools/ledger/disk/disk.test.mjs
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startEmbeddedPostgres } from '@postmesh/database';
import pg from 'pg';
import { makeFolder, removeFolder, waitUntil } from '../../processes.mjs';
import { Disk } from './disk.mjs';

const SYNCS_FAIL = 1;
const WELL = 0;
const BACK_MS = 60_000;

/** @param {string} url */
async function connected(url) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

test(
  'a sync that fails loses what was promised without it, and nothing that was promised after one',
  { timeout: 180_000 },
  async () => {
    const disk = await Disk.make();
    const { LYING_DISK_LIBRARY, LYING_DISK_CONTROL } = disk.settings;
    Object.assign(process.env, { LYING_DISK_LIBRARY, LYING_DISK_CONTROL });
    await import('./spawn-hook.mjs');
    const folder = makeFolder('disk-test');
    const server = await startEmbeddedPostgres({
      dataDir: join(folder, 'data'),
      settings: { shared_buffers: '16MB' },
    });
    try {
      const client = await connected(server.url);
      await client.query('create table kept (name text)');
      await client.query(`insert into kept values ('synced')`);
      disk.set(SYNCS_FAIL);
      // it is answered before the log is synced
      await client.query('set synchronous_commit = off');
      await client.query(`insert into kept values ('promised')`);
      const lost = await waitUntil(() => disk.met > 0, { limitMs: BACK_MS });
      disk.set(WELL);
      assert.equal(lost, true);
      const again = await waitUntil(() => connected(server.url).catch(() => undefined), {
        limitMs: BACK_MS,
        everyMs: 100,
      });
      const found = await again?.query('select name from kept');
      assert.deepEqual(found?.rows, [{ name: 'synced' }]);
      await again?.end();
    } finally {
      await server.stop();
      await disk.stop();
      removeFolder(folder);
    }
  },
);
