import { execFile } from 'node:child_process';
import { chmod, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLogger } from '@postmesh/observability';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Notifications } from '../notifications.js';
import { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './start.js';
import { PostgresWatch, type WatchOptions } from './watch.js';

const run = promisify(execFile);
const logger = createLogger({ logLevel: 'silent' }, 'watch-test');
const WAIT = { interval: 20 };
let base: string;
let counter = 0;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'postmesh-watch-'));
  await chmod(base, 0o755);
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
afterAll(() => rm(base, { recursive: true, force: true }));

interface Watched {
  dataDir: string;
  server: EmbeddedPostgres;
  watch: PostgresWatch;
  pool: pg.Pool;
  /** names of its log lines */
  said: string[];
}

async function watched({
  dataDir = join(base, `data-${(counter += 1)}`),
  settings,
  ...options
}: Partial<Omit<WatchOptions & EmbeddedPostgresOptions, 'logger'>> = {}): Promise<Watched> {
  const small = { shared_buffers: '16MB', ...settings };
  const server = await startEmbeddedPostgres({ dataDir, settings: small });
  const said: string[] = [];
  const say = (line: object) => void said.push((line as { event: string }).event);
  const watch = new PostgresWatch(server, { logger: { warn: say, error: say } as never, ...options });
  const pool = new pg.Pool({ connectionString: server.url, connectionTimeoutMillis: 5_000, max: 2 });
  pool.on('error', () => undefined);
  stops.push(
    () => watch.stop(),
    () => pool.end(),
  );
  await pool.query('create table kept as select 42 as answer');
  return { dataDir, server, watch, pool, said };
}

const answer = (pool: pg.Pool): Promise<unknown> =>
  pool.query<{ answer: number }>('select answer from kept').then(
    ({ rows }) => rows[0]?.answer,
    () => undefined,
  );

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a PostgreSQL that is watched', () => {
  it('runs again after kill -9 of its postmaster, where pools and listening connections find it', async () => {
    const { server, watch, pool, said } = await watched();
    const received: string[] = [];
    let connected = 0;
    const notifications = new Notifications({
      url: server.url,
      channel: 'told',
      applicationName: 'watch-test',
      logger,
      onNotification: (payload) => void received.push(payload),
      onConnected: () => void (connected += 1),
    });
    await notifications.start();
    stops.push(() => notifications.stop());
    const before = server.pid;
    process.kill(before, 'SIGKILL');
    await expect.poll(() => connected, WAIT).toBe(2);
    await expect.poll(() => answer(pool), WAIT).toBe(42);
    await pool.query(`select pg_notify('told', 'again')`);
    await expect.poll(() => received, WAIT).toEqual(['again']);
    expect(server.pid).not.toBe(before);
    await expect.poll(() => watch.isRunning, WAIT).toBe(true);
    expect(watch.isHopeless).toBe(false);
    expect(said).toEqual(['postgres.lost', 'postgres.restarted']);
  });

  it('runs again after a smart shutdown that open sessions delay', async () => {
    const { server, watch, pool } = await watched();
    const session = await pool.connect();
    session.on('error', () => undefined);
    const before = server.pid;
    process.kill(before, 'SIGTERM');
    await expect.poll(() => server.pid, WAIT).not.toBe(before);
    session.release(true);
    await expect.poll(() => answer(pool), WAIT).toBe(42);
    await expect.poll(() => watch.isRunning, WAIT).toBe(true);
  });

  it('is hopeless after several failed starts, keeps trying, and recovers once the cause is removed', async () => {
    const { dataDir, server, watch, pool, said } = await watched({ hopelessStarts: 3, hopelessMs: 0 });
    const needed = join(dataDir, 'instance', 'cluster', 'PG_VERSION');
    await rename(needed, `${needed}.away`);
    process.kill(server.pid, 'SIGKILL');
    await expect.poll(() => watch.isRunning, WAIT).toBe(false);
    expect(watch.isHopeless).toBe(false);
    await expect.poll(() => watch.isHopeless, WAIT).toBe(true);
    expect(said.filter((event) => event === 'postgres.start_failed')).toHaveLength(1);
    await rename(`${needed}.away`, needed);
    await expect.poll(() => answer(pool), WAIT).toBe(42);
    await expect.poll(() => watch.isHopeless, WAIT).toBe(false);
  });

  it('leaves nothing running when it is stopped in the middle of a start', async () => {
    const { server, watch, dataDir } = await watched();
    process.kill(server.pid, 'SIGKILL');
    await expect.poll(() => watch.isRunning, WAIT).toBe(false);
    await watch.stop();
    expect(isAlive(server.pid)).toBe(false);
    const again = await startEmbeddedPostgres({ dataDir, settings: { shared_buffers: '16MB' } });
    stops.push(() => again.stop());
    expect(again.adopted).toBe(false);
  });
});

/** A file system of its own, which can be full. @returns undefined where none may be mounted */
async function smallDisk(megabytes: number): Promise<string | undefined> {
  const folder = await mkdtemp(join(base, 'disk-'));
  const options = `size=${megabytes}m,mode=755`;
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).then(
    () => true,
    () => false,
  );
  if (!isMounted) return undefined;
  stops.push(() => run('umount', ['-l', folder]));
  return folder;
}

/** Takes what is free. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  const full = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
    return undefined;
  };
  for (const size of [1 << 20, 4_096]) {
    while ((await file.write(Buffer.alloc(size)).catch(full)) !== undefined);
  }
  await file.close();
}

const FILL_LOG = `select pg_logical_emit_message(false, 'filler', repeat('x', 1000000))`;

describe('a PostgreSQL on a disk that is full, its log too', () => {
  it('keeps committed rows, and accepts writes again once there is space', async ({ skip }) => {
    const disk = await smallDisk(160);
    if (disk === undefined) {
      console.warn('LEFT OUT: a full disk, since no file system may be mounted here');
      return skip();
    }
    const { pool, watch, said } = await watched({ dataDir: join(disk, 'data') });
    await pool.query('create table lines (n serial, text text)');
    const filler = join(disk, 'filler');
    await fill(filler);
    let committed = 0;
    const write = async () => {
      const text = 'x'.repeat(200_000);
      const done = await pool.query('insert into lines (text) select $1 || random()', [text]).then(
        () => true,
        () => false,
      );
      if (done) committed += 1;
      return done;
    };
    // the log is full when the server has ended
    await pool.query('alter table lines alter text set storage external').catch(() => undefined);
    await expect
      .poll(async () => {
        await write();
        // it grows also where no row fits
        await pool.query(FILL_LOG).catch(() => undefined);
        await pool.query('select pg_switch_wal()').catch(() => undefined);
        return said.includes('postgres.lost');
      }, WAIT)
      .toBe(true);
    await expect.poll(() => said.includes('postgres.start_failed'), WAIT).toBe(true);
    expect(await write()).toBe(false);
    await rm(filler);
    await expect.poll(() => write(), WAIT).toBe(true);
    const { rows } = await pool.query<{ count: number }>('select count(*)::int from lines');
    expect(rows[0]?.count).toBe(committed);
    expect(watch.isRunning).toBe(true);
    expect(said.filter((event) => event === 'postgres.start_failed').length).toBeLessThan(5);
  });
});
