import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Counters } from './counters.js';
import { openTestDatabase, testServer } from './postgres.fixture.js';

const COUNTS = new Counters({
  deltas: 'author_deltas',
  deltaKey: 'author_id',
  totals: 'authors',
  totalKey: 'id',
  sums: { books: 'books', read_count: 'reads' },
  latest: { changed_at: 'at' },
});
const running = new AbortController().signal;
const [FIRST, LATER] = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'];

const server = testServer();
let database: DataSource;

beforeAll(async () => {
  database = await openTestDatabase(server.url, 6);
  await database.query(`create table authors (id uuid primary key, name text not null, books bigint not null default 0,
    read_count bigint not null default 0, changed_at timestamptz)`);
  await database.query(`create table author_deltas (id bigint generated always as identity primary key, author_id uuid,
    books int not null default 0, reads int not null default 0, at timestamptz not null)`);
  await database.query('create index author_deltas_author on author_deltas (author_id)');
});
beforeEach(() => database.query('truncate authors, author_deltas'));
afterAll(() => database.destroy());

async function author(): Promise<string> {
  const id = randomUUID();
  await database.query(`insert into authors (id, name) values ($1, 'One')`, [id]);
  return id;
}
const add = (
  id: string,
  { books = 0, reads = 0, at = FIRST }: { books?: number; reads?: number; at?: string },
) =>
  database.query('insert into author_deltas (author_id, books, reads, at) values ($1, $2, $3, $4)', [
    id,
    books,
    reads,
    at,
  ]);
const left = async (): Promise<number> => (await database.query('select from author_deltas')).length;

it('a read has the same figures before and after deltas are folded', async () => {
  const [one, other] = [await author(), await author()];
  const read = async () => [await COUNTS.read(database, one), await COUNTS.read(database, other)];
  const inSql = () =>
    database.query(
      `select name, ${COUNTS.counted('read_count', 's.id')}::int as counted,
         (s.read_count + ${COUNTS.unfolded('read_count', 's.id')})::int as added
       from authors s where id = $1`,
      [one],
    );
  await add(one, { books: 3, reads: 1, at: LATER });
  await add(one, { books: -1, reads: 4 });
  await add(other, { reads: 2 });
  const figures = [
    { books: 2, read_count: 5, changed_at: new Date(LATER) },
    { books: 0, read_count: 2, changed_at: new Date(FIRST) },
  ];
  for (const waiting of [3, 0]) {
    expect(await left()).toBe(waiting);
    expect(await read()).toEqual(figures);
    expect(await inSql()).toEqual([{ name: 'One', counted: 5, added: 5 }]);
    expect(await COUNTS.fold(database, running)).toBe(waiting);
  }
  await add(one, { books: 1 });
  await COUNTS.fold(database, running);
  expect((await read())[0]).toEqual({ ...figures[0], books: 3 });
});

it('figures are exact while several processes fold and write', async () => {
  const ids = [await author(), await author()];
  const writers = Array.from({ length: 60 }, (_, nth) => add(ids[nth % 2]!, { books: 1 }));
  const reads = Array.from({ length: 20 }, () => COUNTS.read(database, ids[0]!));
  const folds = Array.from({ length: 4 }, () => COUNTS.fold(database, running));
  for (const { books } of await Promise.all(reads)) expect(books).toBeLessThanOrEqual(30);
  const folded = (await Promise.all(folds)).reduce((sum, count) => sum + count, 0);
  await Promise.all(writers);
  expect(folded + (await COUNTS.fold(database, running))).toBe(60);
  for (const id of ids) expect((await COUNTS.read(database, id)).books).toBe(30);
  expect(await left()).toBe(0);
});

it('deltas that another fold has locked stay for the next one, more than a batch is folded at once', async () => {
  const id = await author();
  await database.query(
    `insert into author_deltas (author_id, books, at) select $1, 1, now() from generate_series(1, 5001)`,
    [id],
  );
  await database.transaction(async (tx) => {
    await tx.query('select from author_deltas order by id limit 1 for update');
    expect(await COUNTS.fold(database, running)).toBe(5_000);
  });
  expect(await COUNTS.fold(database, running)).toBe(1);
  expect((await COUNTS.read(database, id)).books).toBe(5_001);
});

it('deltas whose totals are gone count nowhere, and a key without rows has zeros', async () => {
  const [gone, kept] = [randomUUID(), await author()];
  await add(gone, { books: 5 });
  await add(kept, { books: 1 });
  expect(await COUNTS.fold(database, running)).toBe(2);
  expect(await COUNTS.read(database, gone)).toEqual({ books: 0, read_count: 0, changed_at: null });
  expect(await COUNTS.read(database, kept)).toMatchObject({ books: 1 });
  expect(await left()).toBe(0);
});

it('a fold and a read probe indexes, however many totals and deltas there are', async () => {
  await database.query(`with made as (insert into authors (id, name)
      select gen_random_uuid(), 'One' from generate_series(1, 10000) returning id)
    insert into author_deltas (author_id, books, at) select id, 1, now() from made, generate_series(1, 2)`);
  await database.query('analyze authors, author_deltas');
  const explained = {
    plan: '',
    async query(sql: string, parameters?: unknown[]) {
      const lines: Record<string, string>[] = await database.query(`explain ${sql}`, parameters);
      explained.plan = lines.map((line) => Object.values(line)[0]).join('\n');
      return [{ taken: 0 }];
    },
  } as unknown as Pick<DataSource, 'query'> & { plan: string };
  await COUNTS.fold(explained, running);
  expect(explained.plan).toContain('Index');
  expect(explained.plan).not.toContain('Seq Scan');
  await COUNTS.read(explained, randomUUID());
  expect(explained.plan).toContain('Index');
  expect(explained.plan).not.toContain('Seq Scan');
});
