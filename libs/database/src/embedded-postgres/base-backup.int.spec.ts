import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterPassword, hasCluster, restoreBaseBackup, writeBaseBackup } from './base-backup.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './start.js';

const settings = { shared_buffers: '16MB' };
let base: string;
let server: EmbeddedPostgres;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'postmesh-backup-'));
  await chmod(base, 0o755);
  server = await startEmbeddedPostgres({ dataDir: join(base, 'first'), settings });
});
afterAll(async () => {
  await server?.stop();
  await rm(base, { recursive: true, force: true });
});

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

describe('a base backup', () => {
  it('taken while rows are written has all that was committed before, and each transaction whole or not at all', async () => {
    const file = join(base, 'backup.tar.gz');
    const { backup, before } = await connected(server.url, async (client) => {
      await client.query('create table pairs (id bigserial primary key, text text, half int)');
      const write = () =>
        client.query(
          `insert into pairs (text, half) select repeat(md5(random()::text), 30), half
           from generate_series(1, 2) half, generate_series(1, 500)`,
        );
      await write();
      await write();
      let isOver = false;
      const done = writeBaseBackup(server.url, file).finally(() => (isOver = true));
      while (!isOver) await write();
      return { backup: await done, before: 2_000 };
    });
    expect((await readFile(file)).length).toBe(backup.bytes);
    expect(backup.walEnd).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);

    const dataDir = join(base, 'second');
    await restoreBaseBackup(dataDir, { file, password: await clusterPassword(join(base, 'first')) });
    expect(await hasCluster(dataDir)).toBe(true);
    const restored = await startEmbeddedPostgres({ dataDir, settings });
    try {
      const rows = await connected(restored.url, async (client) => {
        const { rows: counts } = await client.query(
          'select half, count(*)::int from pairs group by half order by half',
        );
        return counts as { half: number; count: number }[];
      });
      expect(rows).toHaveLength(2);
      expect(rows[0]!.count).toBe(rows[1]!.count);
      expect(rows[0]!.count * 2).toBeGreaterThanOrEqual(before);
      expect(new URL(restored.url).port).not.toBe(new URL(server.url).port);
    } finally {
      await restored.stop();
    }
  });

  it('is not restored over a cluster, and a damaged one leaves none', async () => {
    const password = 'x';
    const file = join(base, 'damaged.tar.gz');
    await expect(restoreBaseBackup(join(base, 'first'), { file, password })).rejects.toThrow(
      /there is a database in/,
    );
    const whole = await readFile(join(base, 'backup.tar.gz'));
    await writeFile(file, whole.subarray(0, whole.length / 2));
    const dataDir = join(base, 'third');
    await expect(restoreBaseBackup(dataDir, { file, password })).rejects.toThrow();
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('is restored where tar ends before it has read the padding behind the archive', async () => {
    const file = join(base, 'padded.tar.gz');
    const whole = await readFile(join(base, 'backup.tar.gz'));
    await writeFile(file, Buffer.concat([whole, gzipSync(Buffer.alloc(16 * 1_048_576))]));
    const dataDir = join(base, 'fourth');
    await restoreBaseBackup(dataDir, { file, password: 'x' });
    expect(await hasCluster(dataDir)).toBe(true);
  });

  it('is over where its disk takes no more', async () => {
    await expect(writeBaseBackup(server.url, '/dev/full')).rejects.toThrow(/ENOSPC/);
    const { sessions } = await connected(server.url, async (client) => {
      const { rows } = await client.query(
        `select count(*)::int as sessions from pg_stat_activity where application_name = 'postmesh backup'
         and state = 'idle'`,
      );
      return rows[0] as { sessions: number };
    });
    expect(sessions).toBe(0);
  });
});
