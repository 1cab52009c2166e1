import { randomBytes, randomUUID } from 'node:crypto';
import { openDatabase } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { testDatabase } from '@postmesh/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BlobMissing, createBlobStore, type BlobStore } from '../index.js';

const logger = createLogger({ logLevel: 'warn' }, 'blob-store-test');
const content = (size = 100) => ({ id: randomUUID(), bytes: randomBytes(size) });
const openService = (url: string, poolSize = 4): Promise<DataSource> =>
  openDatabase({ url, schema: 'blob_test_service', entities: [], migrations: [], poolSize, logger });
const refuse = () => {
  throw new Error('rolled back');
};

const database = testDatabase();
const elsewhere = testDatabase();
let store: BlobStore;
let service: DataSource;

beforeAll(async () => {
  store = await createBlobStore({ driver: 'postgres', url: database.url, logger });
  service = await openService(database.url);
});
afterAll(async () => {
  await service.destroy();
  await store.close();
});

const has = async (id: string) => (await store.get([id])).has(id);

describe('content in a transaction of a service in the same database', () => {
  it('is there when it commits, not before', async () => {
    const one = content();
    await service.transaction(async (manager) => {
      await store.put([one], manager);
      expect(await has(one.id)).toBe(false);
    });
    expect(await has(one.id)).toBe(true);
  });

  it('is not there when it rolls back', async () => {
    const [small, large] = [content(), content(6 * 1024 * 1024)];
    const rolledBack = service.transaction(async (manager) => {
      await store.put([small, large], manager);
      refuse();
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await has(small.id)).toBe(false);
    expect(await has(large.id)).toBe(false);
  });

  it('may already be there: the transaction continues', async () => {
    const one = content();
    await store.put([one]);
    await service.transaction((manager) => store.put([one, content()], manager));
    expect(await has(one.id)).toBe(true);
  });

  it('is written under the role of the service, which may do nothing else with content', async () => {
    const one = content();
    await service.transaction((manager) => store.put([one], manager));
    const roles = await service.query<{ role: string }[]>('select current_user as role');
    expect(roles).toEqual([{ role: 'postmesh_blob_test_service' }]);
    for (const sql of [
      'select * from blobs.content',
      'delete from blobs.content',
      'drop table blobs.content',
    ]) {
      await expect(service.query(sql)).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  it('needs no second connection, so that a full pool cannot deadlock', async () => {
    const narrow = await openService(database.url, 2);
    const fresh = await createBlobStore({ driver: 'postgres', url: database.url, logger, poolSize: 1 });
    const contents = Array.from({ length: 8 }, () => content());
    await Promise.all(contents.map((one) => narrow.transaction((manager) => fresh.put([one], manager))));
    expect((await store.get(contents.map(({ id }) => id))).size).toBe(8);
    await fresh.close();
    await narrow.destroy();
  });
});

describe('content of a service in another database', () => {
  it('is stored at once, even if the transaction rolls back', async () => {
    const other = await openService(elsewhere.url);
    const one = content();
    const rolledBack = other.transaction(async (manager) => {
      await store.put([one], manager);
      refuse();
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await has(one.id)).toBe(true);
    await other.destroy();
  });
});

describe('a stream', () => {
  it('does not hold the content: a content that is deleted meanwhile cannot be read to its end', async () => {
    const one = content(8 * 1024 * 1024);
    await store.put([one]);
    const read = async () => {
      for await (const _ of store.stream(one.id)) await store.delete([one.id]);
    };
    await expect(read()).rejects.toBeInstanceOf(BlobMissing);
  });
});
