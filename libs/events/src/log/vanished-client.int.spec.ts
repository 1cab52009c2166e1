import { CuttableProxy, testDatabase } from '@postmesh/testing';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectionOf } from './connections.js';

/** More than the buffers of both sides take. */
const MEGABYTES = 64;
const LOCK = 4_711;
const GIVEN_UP_MS = 60_000;

const database = testDatabase();
const clients: pg.Client[] = [];
let proxy: CuttableProxy;

beforeEach(async () => {
  proxy = await CuttableProxy.start(database.url);
});
afterEach(async () => {
  await proxy.cut();
  for (const client of clients.splice(0)) await client.end().catch(() => undefined);
});

async function connected(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  clients.push(client);
  await client.connect();
  return client;
}

// Keepalives notice a client that vanished while the server waits for it, and not one that vanished during an answer.
it(
  'a client that vanished during an answer is given up by the server, with all that its session held',
  async () => {
    const vanishing = await connected(connectionOf(proxy.url, 'vanishing'));
    const other = await connected({ connectionString: database.url });
    const isFree = async () => {
      const { rows } = await other.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [
        LOCK,
      ]);
      return rows[0]?.free;
    };
    await vanishing.query('select pg_advisory_lock($1)', [LOCK]);
    proxy.stall();
    // its way to the server is open, the one back takes nothing
    void vanishing.query(`select repeat('x', ${MEGABYTES} * 1048576)`).catch(() => undefined);
    expect(await isFree()).toBe(false);
    await expect.poll(isFree, { timeout: GIVEN_UP_MS, interval: 500 }).toBe(true);
  },
  2 * GIVEN_UP_MS,
);
