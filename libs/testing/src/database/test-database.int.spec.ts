import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { databaseName } from './names.rules.js';
import { templateDatabase, urlOfDatabase } from './template-database.js';
import { createTestDatabase, testDatabase } from './test-database.js';
import { testServerUrl, withClient } from './test-server.js';

const messages = (url: string) =>
  withClient(url, async (client) => (await client.query<{ id: number }>('select id from message')).rows);

describe('a test database', () => {
  const database = testDatabase();
  const other = testDatabase();

  it('is real and shared with nobody', async () => {
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

describe('a template', () => {
  it('is prepared once, although several ask at the same moment, and is copied', async () => {
    let prepared = 0;
    const name = `probe-${Date.now().toString(36)}`;
    const prepare = async (url: string) => {
      prepared += 1;
      // a session that is left open does not keep others from copying
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      await client.connect();
      await client.query('create table message as select 7 as id');
    };
    const copies = await Promise.all(
      [1, 2, 3].map(() => createTestDatabase({ template: templateDatabase(name, prepare) })),
    );
    expect(prepared).toBe(1);
    await withClient(copies[0]!.url, (client) => client.query('delete from message'));
    expect(await messages(copies[1]!.url)).toEqual([{ id: 7 }]);
    await Promise.all(copies.map((copy) => copy.drop()));
    const template = await templateDatabase(name, prepare).ready();
    await withClient(await testServerUrl(), (client) => client.query(`drop database ${template}`));
  });

  it('leaves nothing behind when its preparation fails', async () => {
    const seen: string[] = [];
    const failing = templateDatabase('failing', (url) => {
      seen.push(url);
      return Promise.reject(new Error('bad migration'));
    });
    await expect(failing.ready()).rejects.toThrow('bad migration');
    await expect(messages(seen[0]!)).rejects.toThrow(/database .* does not exist/);
  });
});

describe('what killed runs leave', () => {
  it('is swept after an hour, a database in use is not', async () => {
    const server = await testServerUrl();
    const old = new Date(Date.now() - 7_200_000);
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
