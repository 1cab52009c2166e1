import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountChanged } from '@postmesh/accounts-contract';
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

const create = (account: string, body: object) => under.suppressions(account, 'POST', '', { body });
const list = async (account: string, rest = '') => {
  const { status, body } = await under.suppressions(account, 'GET', rest);
  return status === 200
    ? body.data.map(({ email, domain }: typeof ANN & { domain: string }) => `${email} ${domain}`)
    : body.message;
};
const told = (account: string) => under.told.events.filter(({ account_id }) => account_id === account);
const untilTold = (account: string, count: number) =>
  under.told.until(() => told(account).length >= count && told(account));

/** Inserts rows into the table. */
const store = (account: string, count: number, more: { domain?: string; set?: string } = {}) =>
  under.sql(
    `insert into suppressions (account_id, domain, email, id, reason, protected, source, created_at, expires_at)
     select $1, $3, 'r' || n || '@mail.test', gen_random_uuid(), '', false, 'api', now() - n * interval '1 ms', $4
     from generate_series(1, $2) n`,
    [account, count, more.domain ?? 'shop.test', more.set ?? PERMANENT],
  );

describe('POST …/suppressions', () => {
  it('publishes all fields of the row', async () => {
    const account = under.account('a.test', 'b.test');
    const { body } = await create(account, { ...ANN, domain: 'a.test', reason: 'Asked' });
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

  it('in place of a row that has expired is published as a new one', async () => {
    const account = under.account('a.test');
    await create(account, ANN);
    await under.sql(
      `update suppressions set expires_at = now() - interval '1 second' where account_id = $1`,
      [account],
    );
    expect((await create(account, ANN)).status).toBe(201);
    expect((await untilTold(account, 2)).map(({ kind }) => kind)).toEqual(['created', 'created']);
  });

  it('without a domain creates a row for each, also with several pages of domains', async () => {
    const names = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test', 'f.test', 'g.test'];
    const account = under.account(...names);
    await create(account, { ...ANN, domain: 'c.test' });
    const { body } = await create(account, ANN);
    const made = body.data.map(({ domain }: { domain: string }) => domain);
    expect(made).toEqual(names.filter((name) => name !== 'c.test'));
  });

  it('with many concurrent calls creates exactly one row, with one event', async () => {
    const account = under.account('a.test');
    const all = await Promise.all(Array.from({ length: 12 }, () => create(account, ANN)));
    expect(all.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(11).fill(409)]);
    expect(await untilTold(account, 1)).toHaveLength(1);
  });

  it('creates nothing for an account that was deleted meanwhile', async () => {
    const account = under.account('a.test');
    await under.sql('insert into deleted_accounts (account_id) values ($1)', [account]);
    expect((await create(account, ANN)).status).toBe(401);
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
});

describe('DELETE …/suppressions/all', () => {
  it('lifts all unprotected ones, batch by batch, and returns the number of the others', async () => {
    const account = under.account('shop.test', 'b.test');
    await store(account, 2_500);
    await store(account, 3, { domain: 'b.test' });
    await under.sql(
      `update suppressions set protected = true where account_id = $1 and email in ('r7@mail.test', 'r2000@mail.test')`,
      [account],
    );
    await under.sql(
      `update suppressions set expires_at = now() - interval '1 second' where account_id = $1 and email = 'r2000@mail.test'`,
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

  it('are deleted with their account, including protected ones, and no rows of other accounts', async () => {
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
