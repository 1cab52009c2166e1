import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@postmesh/observability';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll } from 'vitest';
import { openDatabase } from './data-source.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres/index.js';

/** A PostgreSQL of this test file alone (libs/testing has a shared one, but builds on this library). */
export function testServer(): { readonly url: string } {
  let folder: string;
  let server: EmbeddedPostgres | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-db-'));
    server = await startEmbeddedPostgres({
      dataDir: folder,
      settings: { fsync: 'off', shared_buffers: '16MB', max_connections: '20' },
    });
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get url() {
      if (server === undefined) throw new Error('the test server runs in hooks and tests only');
      return server.url;
    },
  };
}

/** The database of a service without tables. */
export const openTestDatabase = (url: string, poolSize = 2): Promise<DataSource> =>
  openDatabase({
    url,
    schema: 'database_test',
    entities: [],
    migrations: [],
    poolSize,
    logger: createLogger({ logLevel: 'warn' }, 'database-test'),
  });
