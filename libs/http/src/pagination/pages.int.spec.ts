import { randomUUID } from 'node:crypto';
import { testDatabase } from '@postmesh/testing';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageSql, toPage, type Page, type PageRow } from './pages.js';
import { parsePageQuery } from './page-query.rules.js';

const database = testDatabase();
let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`create table item (
    id uuid primary key, list uuid not null, created_at timestamptz not null, kept boolean not null default true)`);
  await client.query('create index item_list on item (list, created_at, id)');
});
afterAll(() => client.end());

interface Row extends PageRow {
  kept: boolean;
}
type Query = Record<string, string>;

const listOf = (list: string) => ({
  text: 'select id, created_at, kept from item where list = $1 and kept = $2',
  parameters: [list, true],
});

async function rowsOf(list: string, query: Query): Promise<Row[]> {
  const { text, parameters } = pageSql(listOf(list), parsePageQuery(query));
  return (await client.query<Row>(text, [...parameters])).rows;
}

const get = async (list: string, query: Query): Promise<Page<string>> =>
  toPage(await rowsOf(list, query), parsePageQuery(query), (row) => row.id);

/** @returns the ids newest first, the expected order of the list */
async function fill(offsets: readonly number[]): Promise<{ list: string; ids: string[] }> {
  const list = randomUUID();
  const rows = offsets.map((micros) => ({ micros, id: randomUUID() }));
  await client.query(
    `insert into item (list, id, created_at)
     select $1, id, timestamptz '2026-03-01T09:00:00Z' + micros * interval '1 microsecond'
     from unnest($2::uuid[], $3::int[]) as given(id, micros)`,
    [list, rows.map(({ id }) => id), rows.map(({ micros }) => micros)],
  );
  rows.sort((a, b) => b.micros - a.micros || (a.id < b.id ? 1 : -1));
  return { list, ids: rows.map(({ id }) => id) };
}

const pagesIn = (ids: readonly string[], limit: number): string[][] =>
  Array.from({ length: Math.ceil(ids.length / limit) }, (_, n) => ids.slice(n * limit, (n + 1) * limit));

async function walkForward(list: string, limit: number): Promise<Page<string>[]> {
  const pages = [await get(list, { limit: String(limit) })];
  for (let page = pages[0]; page?.pagination.has_more; page = pages.at(-1)) {
    pages.push(await get(list, { limit: String(limit), after: page.pagination.next_cursor ?? '' }));
  }
  return pages;
}

async function walkBack(list: string, limit: number, from: Page<string>): Promise<Page<string>[]> {
  const pages: Page<string>[] = [];
  for (let at = from.pagination.previous_cursor; at !== undefined;) {
    const page = await get(list, { limit: String(limit), before: at });
    pages.push(page);
    at = page.pagination.previous_cursor;
  }
  return pages;
}

// few different times within a millisecond: most rows of a list share theirs
const lists = fc.array(fc.oneof(fc.nat(3), fc.nat(2_000_000)), { maxLength: 30 });

describe('1.3 walking a list', () => {
  it('8: after visits every row exactly once, newest first', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 12 }), async (offsets, limit) => {
        const { list, ids } = await fill(offsets);
        const pages = await walkForward(list, limit);
        expect(pages.flatMap((page) => page.data)).toEqual(ids);
        expect(pages.map((page) => page.data)).toEqual(ids.length ? pagesIn(ids, limit) : [[]]);
      }),
      { numRuns: 60 },
    );
  });

  it('7: before visits every row exactly once, in pages that end at the cursor', async () => {
    await fc.assert(
      fc.asyncProperty(
        lists,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        async (offsets, limit, backLimit) => {
          const { list, ids } = await fill(offsets);
          const last = (await walkForward(list, limit)).at(-1);
          if (last === undefined || last.pagination.previous_cursor === undefined) return;
          const earlier = ids.slice(0, ids.length - last.data.length);
          const pages = await walkBack(list, backLimit, last);
          const ends = pagesIn([...earlier].reverse(), backLimit).map((page) => page.reverse());
          expect(pages.map((page) => page.data)).toEqual(ends);
          expect(pages.every((page) => page.pagination.has_more)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('2: a cursor stays valid when its row is deleted', async () => {
    const { list, ids } = await fill([5, 4, 3, 2, 1]);
    const page = await get(list, { limit: '2' });
    await client.query('delete from item where id = $1', [ids[1]]);
    const cursor = page.pagination.next_cursor ?? '';
    expect((await get(list, { limit: '2', after: cursor })).data).toEqual([ids[2], ids[3]]);
    expect((await get(list, { limit: '2', before: cursor })).data).toEqual([ids[0]]);
  });

  it('8: rows created during the walk do not appear in later pages', async () => {
    const { list, ids } = await fill([3, 2, 1]);
    const first = await get(list, { limit: '2' });
    await client.query("insert into item values (gen_random_uuid(), $1, '2026-03-02T00:00:00Z')", [list]);
    const second = await get(list, { limit: '2', after: first.pagination.next_cursor ?? '' });
    expect(second.data).toEqual([ids[2]]);
    expect(second.pagination.has_more).toBe(false);
  });

  it('the filter of the list holds on every page', async () => {
    const { list, ids } = await fill([5, 4, 3, 2, 1]);
    await client.query('update item set kept = false where id = any($1)', [[ids[0], ids[4]]]);
    const pages = await walkForward(list, 2);
    expect(pages.map((page) => page.data)).toEqual([[ids[1], ids[2]], [ids[3]]]);
    const back = await get(list, { before: pages[1]?.pagination.previous_cursor ?? '' });
    expect(back.data).toEqual([ids[1], ids[2]]);
    expect(back.pagination).not.toHaveProperty('previous_cursor');
  });
});

describe('1.3 the pagination object', () => {
  it('of an empty list holds only has_more', async () => {
    const { list } = await fill([]);
    expect(await get(list, {})).toEqual({ object: 'list', data: [], pagination: { has_more: false } });
  });

  it('4, 5: of a list that fits one page, exactly, holds only has_more', async () => {
    const { list } = await fill([2, 1]);
    expect((await get(list, { limit: '2' })).pagination).toEqual({ has_more: false });
  });

  it('5, 6: of a first page has next_cursor, of an after page previous_cursor too', async () => {
    const { list } = await fill([5, 4, 3, 2, 1]);
    const first = await get(list, { limit: '2' });
    expect(Object.keys(first.pagination)).toEqual(['has_more', 'next_cursor']);
    const second = await get(list, { limit: '2', after: first.pagination.next_cursor ?? '' });
    expect(Object.keys(second.pagination)).toEqual(['has_more', 'next_cursor', 'previous_cursor']);
    const third = await get(list, { limit: '2', after: second.pagination.next_cursor ?? '' });
    expect(Object.keys(third.pagination)).toEqual(['has_more', 'previous_cursor']);
    expect(third.pagination.has_more).toBe(false);
  });

  it('6: of an empty after page and of an empty before page holds only has_more', async () => {
    const { list, ids } = await fill([3, 2, 1]);
    const first = await get(list, { limit: '1' });
    const start = (await get(list, { limit: '1', after: first.pagination.next_cursor ?? '' })).pagination;
    const newest = (await get(list, { before: start.previous_cursor ?? '', limit: '1' })).data;
    expect(newest).toEqual([ids[0]]);
    const beforeFirst = await get(list, { before: first.pagination.next_cursor ?? '' });
    expect(beforeFirst).toEqual({ object: 'list', data: [], pagination: { has_more: false } });
    await client.query('delete from item where list = $1', [list]);
    const gone = await get(list, { after: first.pagination.next_cursor ?? '' });
    expect(gone.pagination).toEqual({ has_more: false });
  });

  it('4: of a before page has_more is false when nothing is left from the cursor on', async () => {
    const { list, ids } = await fill([4, 3, 2, 1]);
    const first = await get(list, { limit: '3' });
    await client.query('delete from item where id = any($1)', [[ids[2], ids[3]]]);
    const back = await get(list, { limit: '3', before: first.pagination.next_cursor ?? '' });
    expect(back).toEqual({ object: 'list', data: [ids[0], ids[1]], pagination: { has_more: false } });
  });
});

describe('the query', () => {
  it.each(['after', 'before'])('of an %s page is served by the index without a sort', async (direction) => {
    const { list } = await fill(Array.from({ length: 2_000 }, (_, n) => n));
    await client.query('analyze item');
    const cursor = (await get(list, { limit: '50' })).pagination.next_cursor ?? '';
    const { text, parameters } = pageSql(listOf(list), parsePageQuery({ limit: '10', [direction]: cursor }));
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...parameters]);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('item_list');
    expect(plan).not.toMatch(/Sort|Seq Scan/);
  });
});
