import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountChanged, newId } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { CancelOpenMessages } from '../account-changes/cancel-open-messages.js';
import {
  PERMANENT,
  startSuppressions,
  type SuppressionsUnderTest,
} from '../testing/suppressions-under-test.js';
import { PurgeSuppressions } from './purge-suppressions.js';

const database = testDatabase();
let under: SuppressionsUnderTest;

beforeAll(async () => {
  under = await startSuppressions(database.url);
});
afterAll(() => under?.stop());

const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();
const ANN = { email: 'ann@mail.test', expires_at: IN_A_YEAR };
const running = new AbortController().signal;

const create = (account: string, body: object, request: object = {}) =>
  under.suppressions(account, 'POST', '', { body, ...request });
const list = async (account: string, rest = '') => {
  const { status, body } = await under.suppressions(account, 'GET', rest);
  return status === 200
    ? body.data.map(({ email, domain }: typeof ANN & { domain: string }) => `${email} ${domain}`)
    : body.message;
};
const told = (account: string) => under.told.events.filter(({ account_id }) => account_id === account);
const untilTold = (account: string, count: number) =>
  under.told.until(() => told(account).length >= count && told(account));

/** Rows as they stand in the table. */
const store = (account: string, count: number, more: { domain?: string; set?: string } = {}) =>
  under.sql(
    `insert into suppressions (account_id, domain, email, id, reason, protected, source, created_at, expires_at)
     select $1, $3, 'r' || n || '@mail.test', gen_random_uuid(), '', false, 'api', now() - n * interval '1 ms', $4
     from generate_series(1, $2) n`,
    [account, count, more.domain ?? 'shop.test', more.set ?? PERMANENT],
  );

describe('POST …/suppressions', () => {
  it('creates one row for a domain of the account', async () => {
    const account = under.account('a.test', 'b.test');
    const { status, body } = await create(account, {
      email: ' Ann@MAIL.test',
      expires_at: '2090-01-02T03:04:05.678+02:00',
      domain: 'A.test.',
      reason: 'Asked',
    });
    expect([status, body]).toEqual([
      201,
      {
        object: 'list',
        data: [
          {
            object: 'suppression',
            id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
            created_at: expect.stringMatching(/Z$/),
            email: 'ann@mail.test',
            domain: 'a.test',
            reason: 'Asked',
            protected: false,
            expires_at: '2090-01-02T01:04:05.678Z',
          },
        ],
      },
    ]);
    const { body: page } = await under.suppressions(account, 'GET');
    expect(page).toEqual({ object: 'list', data: body.data, pagination: { has_more: false } });
    expect(await untilTold(account, 1)).toEqual([
      {
        account_id: account,
        suppression_id: body.data[0].id,
        domain: 'a.test',
        recipient: 'ann@mail.test',
        kind: 'created',
        reason: 'Asked',
        protected: false,
        created_at: body.data[0].created_at,
        expires_at: body.data[0].expires_at,
        source: 'api',
        revision: expect.any(Number),
      },
    ]);
  });

  it.each<[object, string]>([
    [{ ...ANN, email: undefined }, 'email is required'],
    [{ ...ANN, email: 'ann' }, 'email is not a valid email address'],
    [{ ...ANN, email: 'a\u0000@mail.test' }, 'email is not a valid email address'],
    [{ ...ANN, email: 7 }, 'email must be a string'],
    [{ ...ANN, expires_at: undefined }, 'expires_at is required'],
    [{ ...ANN, expires_at: 'soon' }, 'invalid expires_at, provide a valid RFC3339 time string'],
    [{ ...ANN, expires_at: '2030-01-01' }, 'invalid expires_at, provide a valid RFC3339 time string'],
    [{ ...ANN, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at must be in the future'],
    [{ ...ANN, domain: 'c.test' }, 'domain not found: c.test'],
    [{ ...ANN, domain: '' }, 'domain not found: '],
    [{ ...ANN, domain: 'no domain' }, 'domain not found: no domain'],
    [{ ...ANN, reason: 'é'.repeat(256) }, 'reason must be at most 255 characters'],
    [{ ...ANN, reason: 'a\u0000b' }, 'reason must not contain a NUL character'],
    [{ ...ANN, protected: true }, 'protected is not writable'],
    [{ ...ANN, id: newId() }, 'id is not writable'],
    [{ ...ANN, kind: 'x' }, 'unknown field: kind'],
  ])('%j is 400 %s', async (body, message) => {
    const account = under.account('a.test');
    const given = await create(account, body);
    expect([given.status, given.body]).toEqual([400, { message }]);
  });

  it('takes a permanent one, a reason of 255 characters, and null for what is left out', async () => {
    const account = under.account('a.test');
    const reason = '😀'.repeat(255);
    const permanent = await create(account, { ...ANN, expires_at: PERMANENT, reason, domain: null });
    expect(permanent.body.data[0]).toMatchObject({ expires_at: PERMANENT, reason });
    const late = await create(account, {
      email: 'b@mail.test',
      expires_at: '9999-12-31T23:59:59.999-12:00',
      reason: null,
    });
    expect(late.body.data[0]).toMatchObject({ expires_at: PERMANENT, reason: '' });
  });

  it('is 409 while the address is suppressed there, and replaces a row that has expired', async () => {
    const account = under.account('a.test', 'b.test');
    const [{ id }] = (await create(account, { ...ANN, domain: 'a.test' })).body.data;
    const again = await create(account, { ...ANN, email: 'ANN@mail.test', domain: 'a.test' });
    expect([again.status, again.body]).toEqual([409, { message: 'suppression already exists' }]);
    await under.sql(`update suppressions set expires_at = now(), protected = true where id = $1`, [id]);
    const replaced = await create(account, { ...ANN, domain: 'a.test', reason: 'new' });
    expect(replaced.status).toBe(201);
    expect(replaced.body.data[0]).toMatchObject({ reason: 'new', protected: false });
    expect(replaced.body.data[0].id).not.toBe(id);
    expect(await list(account)).toEqual(['ann@mail.test a.test']);
    expect((await untilTold(account, 2)).map(({ kind }) => kind)).toEqual(['created', 'created']);
  });

  it('without a domain makes a row for each of the account, and skips those that are covered', async () => {
    const names = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test', 'f.test', 'g.test'];
    const account = under.account(...names);
    await create(account, { ...ANN, domain: 'c.test' });
    const { status, body } = await create(account, ANN);
    expect(status).toBe(201);
    expect(body.data.map(({ domain }: { domain: string }) => domain)).toEqual(
      names.filter((name) => name !== 'c.test'),
    );
    expect((await create(account, ANN)).status).toBe(409);
    const none = await create(under.account(), ANN);
    expect([none.status, none.body]).toEqual([400, { message: 'account has no domains' }]);
  });

  it('of many at once makes exactly one', async () => {
    const account = under.account('a.test');
    const all = await Promise.all(Array.from({ length: 12 }, () => create(account, ANN)));
    expect(all.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(11).fill(409)]);
    expect(await untilTold(account, 1)).toHaveLength(1);
  });

  it('is idempotent by key', async () => {
    const account = under.account('a.test');
    const headers = { 'idempotency-key': 'once' };
    const first = await create(account, ANN, { headers });
    const second = await create(account, ANN, { headers });
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  it('makes nothing for an account that was deleted meanwhile', async () => {
    const account = under.account('a.test');
    await under.sql('insert into deleted_accounts (account_id) values ($1)', [account]);
    expect((await create(account, ANN)).status).toBe(401);
  });
});

describe('GET …/suppressions', () => {
  it('walks through pages, newest first, and leaves out expired rows and those of others', async () => {
    const account = under.account('shop.test', 'b.test');
    await store(account, 250);
    await store(account, 5, { domain: 'b.test', set: '2020-01-01T00:00:00Z' });
    await store(newId(), 5);
    const seen: string[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const { body } = await under.suppressions(account, 'GET', `?limit=100&after=${after}`);
      seen.push(...body.data.map(({ email }: { email: string }) => email));
      after = body.pagination.next_cursor as string | undefined;
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => `r${n + 1}@mail.test`));
  });

  it('narrows by domain, address and time', async () => {
    const account = under.account('a.test', 'b.test');
    await create(account, ANN);
    await create(account, { ...ANN, email: 'bob@mail.test', domain: 'a.test' });
    expect(await list(account, '?domain=B.test')).toEqual(['ann@mail.test b.test']);
    expect(await list(account, '?email=BOB@mail.test')).toEqual(['bob@mail.test a.test']);
    expect(await list(account, '?email=nobody@mail.test')).toEqual([]);
    expect(await list(account, '?domain=&email=&from_time=&to_time=')).toHaveLength(3);
    await under.sql(
      `update suppressions set created_at = '2026-01-01T00:00:00Z' where account_id = $1 and email like 'bob%'`,
      [account],
    );
    expect(await list(account, '?from_time=2026-01-01T00:00:00Z&to_time=2026-01-01T00:00:01Z')).toHaveLength(
      1,
    );
    expect(await list(account, '?from_time=2026-01-01T00:00:00.001Z')).toHaveLength(2);
    expect(await list(account, '?to_time=2026-01-01T00:00:00Z')).toHaveLength(0);
  });

  it.each([
    ['?domain=c.test', 404, 'domain not found'],
    ['?domain=no%20domain', 404, 'domain not found'],
    ['?email=ann', 400, 'invalid email'],
    ['?domain=%FF&email=ann', 400, 'invalid email'],
    ['?from_time=yesterday', 400, 'invalid from_time, provide a valid RFC3339 time string'],
    ['?to_time=1', 400, 'invalid to_time, provide a valid RFC3339 time string'],
    [
      '?from_time=2026-01-02T00:00:00Z&to_time=2026-01-01T00:00:00Z',
      400,
      'from_time must not be after to_time',
    ],
    ['?limit=0', 400, 'limit must be between 1 and 100'],
  ])('%s is %i', async (rest, status, message) => {
    const given = await under.suppressions(under.account('a.test'), 'GET', rest);
    expect([given.status, given.body]).toEqual([status, { message }]);
  });
});

describe('DELETE …/suppressions', () => {
  it('lifts those of an address, of one domain or of all, protected ones and deleted domains included', async () => {
    const account = under.account('a.test', 'b.test', 'c.test');
    await create(account, ANN);
    await create(account, { ...ANN, email: 'bob@mail.test' });
    await under.sql(`update suppressions set protected = true where account_id = $1`, [account]);
    under.owned.set(account, ['a.test', 'b.test']);
    const one = await under.suppressions(account, 'DELETE', '?email=Ann@mail.test&domain=a.test');
    expect([one.status, one.body]).toEqual([200, { message: 'suppression deleted successfully' }]);
    expect(await list(account, '?email=ann@mail.test')).toEqual([
      'ann@mail.test c.test',
      'ann@mail.test b.test',
    ]);
    expect((await under.suppressions(account, 'DELETE', '?email=ann@mail.test')).status).toBe(200);
    expect(await list(account, '?email=ann@mail.test')).toEqual([]);
    expect(await list(account, '?email=bob@mail.test')).toHaveLength(3);
    const events = await untilTold(account, 9);
    expect(
      events
        .filter(({ kind }) => kind === 'removed')
        .map(({ domain }) => domain)
        .toSorted(),
    ).toEqual(['a.test', 'b.test', 'c.test']);
    const revisions = events.map(({ revision }) => revision);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  });

  it.each([
    ['', 400, 'email is required'],
    ['?email=', 400, 'email is required'],
    ['?email=ann', 400, 'invalid email'],
    ['?email=ann@mail.test&domain=c.test', 404, 'domain not found'],
    ['?email=ann@mail.test', 404, 'suppression not found'],
    ['?email=ann@mail.test&domain=a.test', 404, 'suppression not found'],
  ])('%s is %i', async (rest, status, message) => {
    const account = under.account('a.test');
    await create(under.account('a.test'), ANN);
    const given = await under.suppressions(account, 'DELETE', rest);
    expect([given.status, given.body]).toEqual([status, { message }]);
  });

  it('finds nothing where the row has expired', async () => {
    const account = under.account('shop.test');
    await store(account, 1, { set: '2020-01-01T00:00:00Z' });
    expect((await under.suppressions(account, 'DELETE', '?email=r1@mail.test')).status).toBe(404);
  });
});

describe('DELETE …/suppressions/all', () => {
  it('lifts all but protected ones, batch by batch, and says how many these are', async () => {
    const account = under.account('shop.test', 'b.test');
    await store(account, 2_500);
    await store(account, 3, { domain: 'b.test' });
    await under.sql(
      `update suppressions set protected = true where account_id = $1 and email in ('r7@mail.test', 'r2000@mail.test')`,
      [account],
    );
    await under.sql(
      `update suppressions set expires_at = now() where account_id = $1 and email = 'r2000@mail.test'`,
      [account],
    );
    const others = under.account('shop.test');
    await create(others, ANN);
    const one = await under.suppressions(account, 'DELETE', '/all?domain=b.test');
    expect([one.status, one.body]).toEqual([200, { message: 'all suppressions deleted' }]);
    const all = await under.suppressions(account, 'DELETE', '/all?domain=');
    expect(all.body).toEqual({ message: 'suppressions deleted, 1 protected suppressions kept' });
    expect(await list(account)).toEqual(['r7@mail.test shop.test']);
    const again = await under.suppressions(account, 'DELETE', '/all');
    expect([again.status, again.body]).toEqual([
      200,
      { message: 'suppressions deleted, 1 protected suppressions kept' },
    ]);
    const events = await untilTold(account, 2_501);
    expect(new Set(events.map(({ suppression_id }) => suppression_id)).size).toBe(2_501);
    expect(await list(others)).toHaveLength(1);
  });

  it('is 200 without anything to delete, 404 for a domain of somebody else', async () => {
    const account = under.account('a.test');
    expect((await under.suppressions(account, 'DELETE', '/all')).body).toEqual({
      message: 'all suppressions deleted',
    });
    const other = await under.suppressions(account, 'DELETE', '/all?domain=c.test');
    expect([other.status, other.body]).toEqual([404, { message: 'domain not found' }]);
  });
});

describe('rows that end', () => {
  it('are purged in batches when they have expired', async () => {
    const account = under.account('shop.test');
    await store(account, 2_100, { set: '2020-01-01T00:00:00Z' });
    await store(account, 3, { domain: 'b.test' });
    await under.service.get(PurgeSuppressions).purge(running);
    const [rows] = await under.sql<{ count: number }>(
      'select count(*)::int from suppressions where account_id = $1',
      [account],
    );
    expect(rows?.count).toBe(3);
  });

  it('go with a deleted account, protected ones, too, and nobody else’s', async () => {
    const [gone, stays] = [under.account('shop.test'), under.account('shop.test')];
    for (const account of [gone, stays]) await store(account, 1_200);
    await under.sql('update suppressions set protected = true where account_id = $1 and email < $2', [
      gone,
      'r2',
    ]);
    const state = { account_id: gone, parent_account_id: null, state: 'deleted' as const, revision: 2 };
    await deliver(under.service, [AccountChanged.make(state, { account_id: gone })]);
    await under.service.get(CancelOpenMessages).cancelDue(running);
    const left = await under.sql(
      'select account_id, count(*)::int from suppressions where account_id in ($1, $2) group by 1',
      [gone, stays],
    );
    expect(left).toEqual([{ account_id: stays, count: 1_200 }]);
    expect(await untilTold(gone, 1_200)).toHaveLength(1_200);
  });
});
