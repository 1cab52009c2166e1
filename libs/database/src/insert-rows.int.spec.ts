import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertRows } from './insert-rows.js';
import { openTestDatabase, testServer } from './postgres.fixture.js';

interface Thing {
  id: string;
  accountId: string | null;
  position: number;
  text?: string | null;
  payload?: unknown;
  tags?: readonly (string | null)[] | null;
  ids?: readonly string[];
  bytes?: Buffer | Uint8Array;
  madeAt?: Date | string;
  done?: boolean;
  size?: bigint;
}

const COLUMNS = {
  id: 'uuid',
  account_id: 'uuid',
  position: 'int',
  text: 'text',
  payload: 'jsonb',
  tags: 'text[]',
  ids: 'uuid[]',
  bytes: 'bytea',
  made_at: 'timestamptz',
  done: 'bool',
  size: 'bigint',
} as const;

const server = testServer();
let database: DataSource;

beforeAll(async () => {
  database = await openTestDatabase(server.url);
  await database.query(`create table things (id uuid primary key, account_id uuid, position int, text text, payload jsonb,
    tags text[], ids uuid[], bytes bytea, made_at timestamptz, done bool, size bigint)`);
});
beforeEach(() => database.query('truncate things'));
afterAll(() => database.destroy());

const thing = (more: Partial<Thing> = {}): Thing => ({
  id: randomUUID(),
  accountId: null,
  position: 0,
  ...more,
});

async function kept(one: Thing): Promise<Record<string, unknown>> {
  await insertRows(database, 'things', COLUMNS, [one, thing()]);
  const rows: Record<string, unknown>[] = await database.query('select * from things where id = $1', [
    one.id,
  ]);
  return rows[0] ?? {};
}

describe('rows that are inserted together', () => {
  it('keep the values of every type', async () => {
    const one = {
      id: randomUUID(),
      accountId: randomUUID(),
      position: -7,
      text: 'plain',
      payload: { list: [1, 'zwei', null], text: 'a "quoted" \\ text' },
      tags: ['a', 'b'],
      ids: [randomUUID(), randomUUID()],
      bytes: Buffer.from([0, 1, 92, 34, 255]),
      madeAt: new Date('2026-03-29T01:30:00.123Z'),
      done: true,
      size: 9_007_199_254_740_993n,
    };
    const { accountId, madeAt, size, ...same } = one;
    expect(await kept(one)).toEqual({ ...same, account_id: accountId, made_at: madeAt, size: String(size) });
  });

  it.each([
    ['quotes and backslashes', 'a "b" \\ \\" {c,d} \'e\''],
    ['a text that reads NULL', 'NULL'],
    ['an empty text', ''],
    ['line breaks and other scripts', 'a\r\nb\t✉ 中文'],
  ])('keep texts as they are: %s', async (_name, text) => {
    expect(await kept(thing({ text, tags: [text, 'x'], payload: text }))).toMatchObject({
      text,
      tags: [text, 'x'],
      payload: text,
    });
  });

  it('keep bytes of a view on a larger buffer', async () => {
    const view = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
    expect((await kept(thing({ bytes: view })))['bytes']).toEqual(Buffer.from([2, 3]));
  });

  it('keep times that are given as texts', async () => {
    expect((await kept(thing({ madeAt: '2026-01-01T00:00:00+02:00' })))['made_at']).toEqual(
      new Date('2025-12-31T22:00:00Z'),
    );
  });

  it('take null and undefined as NULL in every column, and distinguish it from an empty array and from null within', async () => {
    expect(await kept(thing({ text: null, payload: null, tags: null }))).toMatchObject({
      account_id: null,
      text: null,
      payload: null,
      tags: null,
      bytes: null,
      made_at: null,
      done: null,
      size: null,
    });
    expect(await kept(thing({ tags: [], payload: [null], ids: [] }))).toMatchObject({
      tags: [],
      payload: [null],
      ids: [],
    });
    expect(await kept(thing({ tags: ['a', null] }))).toMatchObject({ tags: ['a', null] });
  });

  it('take values from a rule of the column', async () => {
    await insertRows(
      database,
      'things',
      { id: 'uuid', text: ['text', ({ position }) => `no. ${position}`] },
      [thing({ position: 3 })],
    );
    expect(await database.query('select text from things')).toEqual([{ text: 'no. 3' }]);
  });

  it('may be more than parameters fit into a statement, and keep their order', async () => {
    const things = Array.from({ length: 30_000 }, (_, position) => thing({ position }));
    const returned: { position: number }[] = await insertRows(
      database,
      'things',
      { id: 'uuid', account_id: 'uuid', position: 'int' },
      things,
      { returning: 'position' },
    );
    expect(returned.map(({ position }) => position)).toEqual(things.map(({ position }) => position));
  });

  it('may be none: then there is no statement', async () => {
    const manager = { query: () => Promise.reject(new Error('a statement')) };
    expect(await insertRows(manager, 'things', { id: 'uuid' }, [] as Thing[])).toEqual([]);
  });

  it('are in the transaction of their manager', async () => {
    const rolledBack = database.transaction(async (manager) => {
      await insertRows(manager, 'things', COLUMNS, [thing()]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await database.query('select from things')).toEqual([]);
  });

  it('refuse an object where the column is no jsonb', async () => {
    const row = { id: randomUUID(), text: { not: 'a text' } };
    await expect(insertRows(database, 'things', { id: 'uuid', text: 'text' }, [row])).rejects.toThrow(
      TypeError,
    );
  });
});

describe('rows that are there already', () => {
  it('are left out, and only new ones are returned', async () => {
    const [old, fresh] = [thing(), thing()];
    await insertRows(database, 'things', { id: 'uuid' }, [old]);
    const returned = await insertRows(database, 'things', { id: 'uuid' }, [old, fresh, fresh], {
      onConflict: 'do nothing',
      returning: 'id',
    });
    expect(returned).toEqual([{ id: fresh.id }]);
  });

  it('are updated as the conflict clause says', async () => {
    const old = thing({ position: 1 });
    await insertRows(database, 'things', COLUMNS, [old]);
    await insertRows(database, 'things', COLUMNS, [{ ...old, position: 5 }], {
      onConflict: '(id) do update set position = things.position + excluded.position',
    });
    expect(await database.query('select position from things')).toEqual([{ position: 6 }]);
  });
});

describe('columns', () => {
  it('do not compile without a rule when the row has no such property', () => {
    const wrong = () =>
      // @ts-expect-error the row has no `owner`
      insertRows(database, 'things', { id: 'uuid', owner: 'text' }, [thing()]);
    expect(wrong).toBeTypeOf('function');
  });
});
