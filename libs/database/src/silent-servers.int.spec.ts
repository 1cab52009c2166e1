import pg from 'pg';
import { CuttableProxy, testDatabase } from '@postmesh/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEEP_ALIVE, timedClient } from './timed-client.js';

const database = testDatabase();
const LIMIT_MS = 65_000;
let proxy: CuttableProxy;
let pool: pg.Pool;

beforeEach(async () => {
  proxy = await CuttableProxy.start(database.url);
  pool = new pg.Pool({
    connectionString: proxy.url,
    max: 2,
    connectionTimeoutMillis: 20_000,
    ...KEEP_ALIVE,
    Client: timedClient(LIMIT_MS),
  });
  pool.on('error', () => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await proxy.cut();
  await pool.end();
});

/** Timers of seconds fire soon: a question, and the time that its answer has. */
function hurry(): void {
  const wait = globalThis.setTimeout;
  const hurried = (run: () => void, ms = 0, ...given: []) =>
    wait(run, ms >= 2_000 && ms < 10_000 ? 200 : ms, ...given);
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(hurried as typeof setTimeout);
}

describe('a server that vanished without a word', () => {
  it('ends what waits for it, is not asked for new connections, and is found again', async () => {
    await pool.query('select 1');
    proxy.swallow();
    hurry();
    await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    const before = proxy.accepted;
    await expect(pool.query('select 1')).rejects.toThrow('the database does not answer');
    expect(proxy.accepted).toBe(before);
    await proxy.mend();
    await expect
      .poll(() =>
        pool.query('select 1').then(
          ({ rowCount }) => rowCount,
          () => 0,
        ),
      )
      .toBe(1);
  });

  it('ends a connection that is being made', async () => {
    proxy.swallow();
    hurry();
    await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('is another one than a server that takes long', async () => {
    hurry();
    const { rowCount } = await pool.query('select pg_sleep(1)');
    expect(rowCount).toBe(1);
    expect(proxy.accepted).toBeGreaterThan(1);
  });
});
