import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { ResolveGroups } from './resolve-groups.js';
import { UnknownGroups, type UnknownRequest } from './unknown-groups.js';

const database = testDatabase();
let worker: WorkerUnderTest;
let unknown: UnknownGroups;

beforeAll(async () => {
  worker = await startWorker({ databaseUrl: database.url, port: 25 });
  await worker.service.get(ResolveGroups).beforeApplicationShutdown();
});
afterAll(() => worker?.stop());
beforeEach(async () => {
  await worker.database.query('delete from deliveries');
  unknown = new UnknownGroups(worker.database);
});

const account = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
/** as many rows as numbers, `to(number)` each */
const insert = (accountId: string, count: number, domain: (nth: string) => string, state = 'ready') =>
  worker.database.query(
    `insert into deliveries (id, account_id, send_request_id, recipient, destination, group_key, state, due_at, reason, facts)
     select gen_random_uuid(), $1::uuid, gen_random_uuid(), 'r@x', domain, 'd:' || domain, $3, now(), '', '{}'
     from (select ${domain('nth')} as domain from generate_series(1, $2::int) as nth) as domains`,
    [accountId, count, state],
  );
const next = async (request: Partial<UnknownRequest> = {}) => {
  const { found, more } = await unknown.next({
    limit: 10,
    maxPerAccount: 20,
    used: new Map(),
    full: [],
    inFlight: [],
    ...request,
  });
  const perAccount = new Map<string, number>();
  for (const { accountId } of found) perAccount.set(accountId, (perAccount.get(accountId) ?? 0) + 1);
  return { found, more, perAccount, keys: found.map(({ groupKey }) => groupKey) };
};

describe('the domains that deliveries wait for', () => {
  it('are named once each, with where they are', async () => {
    await insert(account(1), 5, () => `'one.test'`);
    await insert(account(1), 1, () => `'two.test'`);
    const { found } = await next();
    expect(found).toEqual([
      { accountId: account(1), groupKey: 'd:one.test', destination: 'one.test', known: null },
      { accountId: account(1), groupKey: 'd:two.test', destination: 'two.test', known: null },
    ]);
  });

  it('come with the group that another worker has found', async () => {
    await insert(account(1), 1, () => `'known.test'`);
    await worker.database.query(
      `insert into mx_domains values ('known.test', 'p:google', now(), now() + interval '1 day') on conflict do nothing`,
    );
    expect((await next()).found).toMatchObject([{ known: 'p:google' }]);
  });

  it('take turns between accounts, however many one of them waits for', async () => {
    await insert(account(1), 500, (nth) => `'n' || ${nth} || '.test'`);
    await insert(account(2), 1, () => `'two.test'`);
    await insert(account(3), 3, (nth) => `'three' || ${nth} || '.test'`);
    const { perAccount } = await next({ limit: 9 });
    expect(perAccount).toEqual(
      new Map([
        [account(1), 3],
        [account(2), 1],
        [account(3), 3],
      ]),
    );
  });

  it('of more accounts than there are places come in the next calls', async () => {
    for (let nth = 1; nth <= 5; nth++) await insert(account(nth), 2, () => `'a${nth}.test'`);
    const calls = [await next({ limit: 2 }), await next({ limit: 2 }), await next({ limit: 2 })];
    expect(calls.map(({ keys }) => keys)).toEqual([
      ['d:a1.test', 'd:a2.test'],
      ['d:a3.test', 'd:a4.test'],
      ['d:a5.test'],
    ]);
    expect((await next({ limit: 2 })).keys).toEqual(['d:a1.test', 'd:a2.test']);
  });

  it('leave out look-ups in flight, and accounts that have their share', async () => {
    await insert(account(1), 3, (nth) => `'n' || ${nth} || '.test'`);
    await insert(account(2), 3, (nth) => `'m' || ${nth} || '.test'`);
    expect((await next({ inFlight: ['d:n1.test', 'd:m2.test'] })).keys.sort()).toEqual([
      'd:m1.test',
      'd:m3.test',
      'd:n2.test',
      'd:n3.test',
    ]);
    expect((await next({ full: [account(1)] })).perAccount).toEqual(new Map([[account(2), 3]]));
    const used = new Map([[account(1), 18]]);
    expect((await next({ used, inFlight: ['d:n1.test'] })).perAccount.get(account(1))).toBe(2);
  });

  it('are of due deliveries only', async () => {
    for (const state of ['waiting', 'suspended', 'leased'])
      await insert(account(1), 1, () => `'x.test'`, state);
    expect(await next()).toMatchObject({ found: [], more: false });
  });

  it('are found by probes of an index, and moved by them, however many wait', async () => {
    await insert(account(1), 20_000, (nth) => `'n' || ${nth} || '.test'`);
    await insert(account(2), 20_000, (nth) => `'n' || ${nth} % 3000 || '.test'`);
    await worker.database.query(
      `update deliveries set group_key = 'p:google' where ctid in (select ctid from deliveries limit 15000)`,
    );
    await worker.database.query('analyze deliveries');
    const query = vi.spyOn(worker.database, 'query');
    expect((await next({ limit: 200 })).found).toHaveLength(40);
    await unknown.move('d:n17.test', 'm:1');
    const statements = query.mock.calls.filter(([sql]) => /recursive accounts|given\(from_key/.test(sql));
    query.mockRestore();
    for (const [sql, parameters] of statements) {
      const plan: Record<string, string>[] = await worker.database.query(
        `explain analyze ${sql}`,
        parameters,
      );
      const text = plan.map((row) => row['QUERY PLAN']).join('\n');
      expect(text).not.toMatch(/Seq Scan on deliveries|deliveries_ready_account/);
    }
    expect(statements).toHaveLength(2);
  });
});

describe('deliveries whose group was found', () => {
  const keys = async () => {
    const rows: { group_key: string; count: number }[] = await worker.database.query(
      'select group_key, count(*)::int as count from deliveries group by group_key order by group_key',
    );
    return new Map(rows.map(({ group_key, count }) => [group_key, count]));
  };

  it('move in pages', async () => {
    await insert(account(1), 4_500, () => `'big.test'`);
    await insert(account(2), 3, () => `'small.test'`);
    let pages = 1;
    while ((await unknown.move('d:big.test', 'm:1')).more) pages++;
    expect(pages).toBe(3);
    expect(await keys()).toEqual(
      new Map([
        ['d:small.test', 3],
        ['m:1', 4_500],
      ]),
    );
  });

  it('of several domains move together, the small ones at once', async () => {
    await insert(account(1), 4_000, () => `'big.test'`);
    await insert(account(2), 3, () => `'small.test'`);
    const moved = await Promise.all([unknown.move('d:big.test', 'm:1'), unknown.move('d:small.test', 'm:2')]);
    expect(moved).toEqual([
      { more: true, count: 1_000, singles: [account(1)] },
      { more: false, count: 3, singles: [account(2)] },
    ]);
    expect(await keys()).toEqual(
      new Map([
        ['d:big.test', 3_000],
        ['m:1', 1_000],
        ['m:2', 3],
      ]),
    );
  });

  it('are passed over while another transaction holds them', async () => {
    await insert(account(1), 2, () => `'x.test'`);
    await worker.database.transaction(async (tx) => {
      await tx.query(`select from deliveries limit 1 for update`);
      expect(await unknown.move('d:x.test', 'm:1')).toMatchObject({ more: false, count: 1 });
    });
    expect(await keys()).toEqual(
      new Map([
        ['d:x.test', 1],
        ['m:1', 1],
      ]),
    );
  });
});
