import { beforeAll, describe, expect, it } from 'vitest';
import { expectError, sharedInstallation, type Account, type ApiKey } from './harness.js';

const postmesh = sharedInstallation();

// Keys are the cheapest rows; domains and webhooks use the same library for their pages.
const ROWS = 11;
let account: Account;
/** newest first, as lists show them */
let ids: string[];
beforeAll(async () => {
  account = await postmesh.newAccount();
  const made: ApiKey[] = [account.key];
  while (made.length < ROWS) made.push(await postmesh.newKey(account, { scopes: ['accounts:read'] }));
  ids = made.map(({ id }) => id).reverse();
});

const FAMILIES = [
  '{A}/api-keys',
  '{A}/domains',
  '{A}/suppressions',
  '{A}/templates',
  '{A}/webhooks',
  '{A}/routes',
  '{A}/smtp-credentials',
  '{A}/sub-accounts',
];
const list = (query: string, path = '{A}/api-keys') => postmesh.api(account.key, 'GET', `${path}?${query}`);
const idsOf = (page: Awaited<ReturnType<typeof list>>): string[] =>
  page.body.data.map(({ id }: { id: string }) => id);

async function walk(limit: number): Promise<string[]> {
  const seen: string[] = [];
  let query = `limit=${limit}`;
  for (let pages = 0; pages <= ROWS; pages += 1) {
    const page = await list(query);
    expect(page.status).toBe(200);
    seen.push(...idsOf(page));
    if (!page.body.pagination.has_more) return seen;
    query = `limit=${limit}&after=${page.body.pagination.next_cursor}`;
  }
  throw new Error('the walk does not end');
}

describe('§1.3 pagination', () => {
  it.each(['0', '101', '-1', 'abc', '1.5', '1e1', '%20', '99999999999'])(
    '§1.3 table limit=%s is refused',
    async (limit) => {
      for (const path of FAMILIES) {
        expectError(await list(`limit=${limit}`, path), 400, 'limit must be between 1 and 100');
      }
    },
  );

  it('§1.3 table limit is 1 to 100, and 100 when it is not given', async () => {
    expect(idsOf(await list('limit=1'))).toEqual(ids.slice(0, 1));
    expect(idsOf(await list('limit=100'))).toEqual(ids);
    expect(idsOf(await list(''))).toEqual(ids);
    // §1.1 rule 7: an empty value counts as absent, which precedes the word "empty" of this table
    expect(idsOf(await list('limit='))).toEqual(ids);
    expect(idsOf(await list('limit=&limit=2'))).toEqual(ids.slice(0, 2));
  });

  it('§1.3 table cursor is read as after when neither is given', async () => {
    const { next_cursor } = (await list('limit=3')).body.pagination;
    expect(idsOf(await list(`limit=3&cursor=${next_cursor}`))).toEqual(ids.slice(3, 6));
    const second = (await list(`limit=3&after=${next_cursor}`)).body.pagination;
    const page = await list(`limit=3&after=${second.next_cursor}&cursor=nonsense`);
    expect(idsOf(page)).toEqual(ids.slice(6, 9));
  });

  it('§1.3 rule 1 after together with before is refused', async () => {
    for (const path of FAMILIES) {
      expectError(await list('after=a&before=b', path), 400, 'after and before are mutually exclusive');
    }
  });

  it('§1.3 rule 2 a cursor that is none is refused', async () => {
    const { next_cursor } = (await list('limit=3')).body.pagination;
    for (const cursor of ['nonsense', `${next_cursor}A`, next_cursor.slice(1), '%00', '..%2f']) {
      for (const name of ['after', 'before', 'cursor']) {
        expectError(await list(`${name}=${cursor}`), 400, 'invalid cursor');
      }
    }
  });

  it('§1.3 rule 1 and §1.1 rule 7 an empty cursor counts as absent, alone or with another', async () => {
    for (const path of FAMILIES) {
      expect((await list('limit=&after=&before=&cursor=', path)).status, path).toBe(200);
    }
    const { next_cursor } = (await list('limit=3')).body.pagination;
    const second = await list(`limit=3&after=${next_cursor}&before=&cursor=`);
    expect(idsOf(second)).toEqual(ids.slice(3, 6));
    expect(idsOf(await list(`limit=3&after=&cursor=${next_cursor}`))).toEqual(ids.slice(3, 6));
    const { previous_cursor } = second.body.pagination;
    expect(idsOf(await list(`limit=3&after=&before=${previous_cursor}`))).toEqual(ids.slice(0, 3));
  });

  it('§1.3 rule 2 a cursor is base64url, and stays valid when its row is deleted', async () => {
    const other = await postmesh.newAccount();
    const rows = [other.key];
    while (rows.length < 4) rows.push(await postmesh.newKey(other, { scopes: ['accounts:read'] }));
    const [oldest, , , newest] = rows as [ApiKey, ApiKey, ApiKey, ApiKey];
    const first = await postmesh.api(other.key, 'GET', '{A}/api-keys?limit=1');
    const { next_cursor } = first.body.pagination;
    expect(next_cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect((await postmesh.api(other.key, 'DELETE', `{A}/api-keys/${newest.id}`)).status).toBe(200);
    const rest = await postmesh.api(other.key, 'GET', `{A}/api-keys?after=${next_cursor}`);
    expect(idsOf(rest)).toEqual([rows[2]?.id, rows[1]?.id, oldest.id]);
    // a cursor holds no filter: it is valid with another filter, and in another list
    expect((await postmesh.api(other.key, 'GET', `{A}/domains?after=${next_cursor}`)).status).toBe(200);
  });

  it('§1.3 rule 3 the order is newest first', async () => {
    expect(idsOf(await list(''))).toEqual(ids);
    for (const path of ['domains', 'webhooks']) {
      const made = [];
      for (let at = 0; at < 3; at += 1) {
        const body =
          path === 'domains'
            ? { domain: `order-${account.id}-${at}.test` }
            : { name: 'n', url: 'http://127.0.0.1:9/', scope: 'global', on_dns_error: true };
        made.unshift((await postmesh.api(account.key, 'POST', `{A}/${path}`, { body })).body.id);
      }
      expect(idsOf(await list('', `{A}/${path}`)).slice(0, 3)).toEqual(made);
    }
  });

  it('§1.3 rule 4 has_more is always there and says whether items follow this page', async () => {
    expect((await list('limit=10')).body.pagination.has_more).toBe(true);
    expect((await list('limit=11')).body.pagination.has_more).toBe(false);
    const { next_cursor } = (await list('limit=10')).body.pagination;
    const last = (await list(`limit=10&after=${next_cursor}`)).body.pagination;
    expect(last.has_more).toBe(false);
    const back = (await list(`limit=10&before=${last.previous_cursor}`)).body.pagination;
    expect(back.has_more).toBe(true);
  });

  it('§1.3 rule 5 next_cursor is there when has_more is true, otherwise omitted', async () => {
    expect((await list('limit=10')).body.pagination).toEqual({
      has_more: true,
      next_cursor: expect.any(String),
    });
    expect((await list('limit=11')).body.pagination).toEqual({ has_more: false });
  });

  it('§1.3 rule 6 previous_cursor is on an after page; not on the first, an empty, or a before page at the start', async () => {
    const first = (await list('limit=4')).body.pagination;
    const second = (await list(`limit=4&after=${first.next_cursor}`)).body.pagination;
    expect(second).toHaveProperty('previous_cursor');
    const third = (await list(`limit=4&after=${second.next_cursor}`)).body.pagination;
    const back = (await list(`limit=3&before=${third.previous_cursor}`)).body.pagination;
    expect(back).toHaveProperty('previous_cursor');
    const start = (await list(`limit=4&before=${second.previous_cursor}`)).body.pagination;
    expect(start).not.toHaveProperty('previous_cursor');
    const empty = await postmesh.newAccount();
    const page = await postmesh.api(empty.key, 'GET', '{A}/domains?limit=4');
    expect(page.body).toEqual({ object: 'list', data: [], pagination: { has_more: false } });
  });

  it('§1.3 rule 7 a before page holds the items right before its cursor, newest first', async () => {
    const first = (await list('limit=6')).body.pagination;
    const second = (await list(`limit=3&after=${first.next_cursor}`)).body.pagination;
    const before = await list(`limit=3&before=${second.previous_cursor}`);
    expect(idsOf(before)).toEqual(ids.slice(3, 6));
    const further = await list(`limit=2&before=${before.body.pagination.previous_cursor}`);
    expect(idsOf(further)).toEqual(ids.slice(1, 3));
  });

  it.each([1, 2, 3, 5, 10, 11])('§1.3 rule 8 a walk by %i visits every row exactly once', async (limit) => {
    expect(await walk(limit)).toEqual(ids);
  });

  it('§1.3 rule 8 rows that are created during the walk do not appear in later pages', async () => {
    const other = await postmesh.newAccount();
    const rows = [other.key];
    while (rows.length < 5) rows.push(await postmesh.newKey(other, { scopes: ['accounts:read'] }));
    const first = await postmesh.api(other.key, 'GET', '{A}/api-keys?limit=2');
    const late = await postmesh.newKey(other, { scopes: ['accounts:read'] });
    const path = `{A}/api-keys?limit=100&after=${first.body.pagination.next_cursor}`;
    const rest = idsOf(await postmesh.api(other.key, 'GET', path));
    expect(rest).toEqual(
      rows
        .slice(0, 3)
        .map(({ id }) => id)
        .reverse(),
    );
    expect(rest).not.toContain(late.id);
  });

  it('§1.3 rule 9 a cursor that does not exist is omitted, never null', async () => {
    for (const path of FAMILIES) {
      for (const query of ['limit=1', 'limit=100']) {
        expect(Object.values((await list(query, path)).body.pagination)).not.toContain(null);
      }
    }
  });
});
