import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '@postmesh/database';
import { loadSettings } from '@postmesh/settings';
import { WATCHER_LOCK } from './names.rules.js';

let found: Promise<string> | undefined;

/**
 * URL of the PostgreSQL that all test runs of this user in this checkout share: `DATABASE_URL` when set, else an
 * embedded one that the first test starts and later ones find running.
 */
export function testServerUrl(): Promise<string> {
  found ??= findServer();
  return found;
}

async function findServer(): Promise<string> {
  const { databaseUrl } = loadSettings();
  if (databaseUrl !== undefined) return databaseUrl;
  const { url, pid } = await startEmbeddedPostgres({
    dataDir: await ownFolder(join(tmpdir(), `postmesh-tests-${process.getuid?.() ?? 0}-${checkout()}`)),
    // a test server holds nothing that a power cut may not take
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      shared_buffers: '128MB',
    },
  });
  await ensureWatched({ url, pid });
  return url;
}

/** One server per checkout: it runs on the checkout's own binaries, which are gone when the checkout is. */
const checkout = (): string =>
  createHash('sha256')
    .update(import.meta.url)
    .digest('hex')
    .slice(0, 8);

/** The temporary folder is shared: a folder that another user has put there is not used. */
async function ownFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  const entry = await lstat(path);
  if (!entry.isDirectory() || entry.uid !== (process.getuid?.() ?? entry.uid)) {
    throw new Error(`${path} belongs to another user`);
  }
  return path;
}

/**
 * A run does not stop the server at its end, since others may be using it and the next run starts faster. A small
 * process of its own stops it after ten idle minutes.
 */
async function ensureWatched(server: { url: string; pid: number }): Promise<void> {
  const watched = await withClient(server.url, async (client) => {
    const { rows } = await client.query(
      "select 1 from pg_locks where locktype = 'advisory' and classid = 0 and objid = $1 and granted",
      [WATCHER_LOCK],
    );
    return rows.length > 0;
  });
  if (watched) return;
  const script = fileURLToPath(new URL('../../idle-watcher.mjs', import.meta.url));
  const watcher = spawn(process.execPath, [script], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.stdin.end(JSON.stringify({ ...server, lock: WATCHER_LOCK }));
  watcher.unref();
}

/** One connection for a few statements. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The same server and login, another database. */
export function urlOfDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}
