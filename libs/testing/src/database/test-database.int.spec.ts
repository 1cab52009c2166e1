import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { databaseName } from './names.rules.js';
import { createTestDatabase, testDatabase } from './test-database.js';
import { testServerUrl, urlOfDatabase, withClient } from './test-server.js';

const messages = (url: string) =>
  withClient(url, async (client) => (await client.query<{ id: number }>('select id from message')).rows);

describe('a test database', () => {
  const database = testDatabase();
  const other = testDatabase();

  it('is real and not shared', async () => {
    await withClient(database.url, (client) => client.query('create table message as select 1 as id'));
    expect(await messages(database.url)).toEqual([{ id: 1 }]);
    await expect(messages(other.url)).rejects.toThrow(/does not exist/);
  });

  it('is gone after it is dropped, open sessions or not', async () => {
    const dropped = await createTestDatabase();
    const session = new pg.Client({ connectionString: dropped.url });
    session.on('error', () => undefined);
    await session.connect();
    await dropped.drop();
    await expect(messages(dropped.url)).rejects.toThrow(/does not exist/);
    await session.end().catch(() => undefined);
  });
});

describe('what killed runs leave', () => {
  it('is swept after three hours, a database in use is not', async () => {
    const server = await testServerUrl();
    const old = new Date(Date.now() - 14_400_000);
    const [left, used] = [databaseName(old), databaseName(old)];
    await withClient(server, async (client) => {
      await client.query(`create database ${left}`);
      await client.query(`create database ${used}`);
    });
    await withClient(urlOfDatabase(server, used), async () => {
      await (await createTestDatabase()).drop();
    });
    const rest = await withClient(server, (client) =>
      client.query<{ datname: string }>('select datname from pg_database where datname = any($1)', [
        [left, used],
      ]),
    );
    expect(rest.rows).toEqual([{ datname: used }]);
    await withClient(server, (client) => client.query(`drop database ${used}`));
  });
});
