import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { LeasedRows, type ClaimRequest } from './leased-rows.js';
import { statementsOf } from './statements.js';
import { openParcels, parcel, PARCELS, type Parcel } from './testing/sample-queue.js';

const database = testDatabase();
let tables: DataSource;
let rows: LeasedRows<Parcel>;

beforeAll(async () => {
  tables = await openParcels(database.url);
});
afterAll(() => tables?.destroy());
beforeEach(async () => {
  await tables.query('truncate parcels');
  rows = new LeasedRows(tables, PARCELS);
});

const OTHERS = { keys: [], permits: [], others: 80 };
const NO_BOUND = { keys: [], permits: [], others: 1_000 };
const none = (...keys: string[]) => ({ keys, permits: keys.map(() => 0), others: 80 });
const request = (change: Partial<ClaimRequest> = {}): ClaimRequest => ({
  worker: newId(),
  limit: 100,
  leaseSeconds: 60,
  keys: OTHERS,
  accounts: NO_BOUND,
  flows: [],
  ...change,
});
const [ann, bob] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];

/** Waiting rows, the first one due longest. @param place @param account SQL expressions of `nth`, 1… */
async function wait(
  count: number,
  place: string,
  { dueFrom = `now() - interval '1 hour'`, account = `'${ann}'` } = {},
): Promise<void> {
  await tables.query(
    `insert into parcels (id, account_id, place, label, due_at)
     select gen_random_uuid(), (${account})::uuid, ${place}, 'r' || nth, ${dueFrom} + nth * interval '1 millisecond'
     from generate_series(1, $1) as nth`,
    [count],
  );
}

const count = <T>(items: readonly T[], is: (item: T) => boolean) => items.filter(is).length;

describe('a claim', () => {
  it('leases the oldest due rows, and says with each what the table knows', async () => {
    await wait(5, `'mail.test'`);
    await wait(1, `'mail.test'`, { dueFrom: `now() + interval '1 hour'` });
    const worker = newId();
    const { items, leftBehind } = await rows.claimOldest(request({ worker, limit: 3 }));
    expect(items.map(({ label }) => label)).toEqual(['r1', 'r2', 'r3']);
    expect(items[0]).toMatchObject({ key: 'mail.test', accountId: ann, attempt: 1, leaseToken: '1' });
    expect(items[0]!.firstAttemptAt).toBeInstanceOf(Date);
    expect(leftBehind).toBe(true);
    const rest = await rows.claimOldest(request());
    expect(rest.items).toHaveLength(2);
    expect(rest).toMatchObject({ leftBehind: false, headIsBlocked: false });
    const nothing = { items: [], leftBehind: false, headIsBlocked: false };
    expect(await rows.claimOldest(request())).toEqual(nothing);
    const leased = await tables.query(
      `select count(*)::int as count from parcels where lease_owner = $1 and state = 'leased'`,
      [worker],
    );
    expect(leased).toEqual([{ count: 3 }]);
  });

  it('never gives one row to two workers', async () => {
    await wait(1_000, `'d' || nth % 40 || '.test'`);
    const taken: string[] = [];
    const takeAll = async () => {
      const own = new LeasedRows(tables, PARCELS);
      for (let misses = 0; misses < 3;) {
        const { items } = await own.claimOldest(request({ limit: 20 }));
        taken.push(...items.map(({ id }) => id));
        misses = items.length === 0 ? misses + 1 : 0;
      }
    };
    await Promise.all([takeAll(), takeAll(), takeAll(), takeAll()]);
    expect(taken).toHaveLength(1_000);
    expect(new Set(taken).size).toBe(1_000);
  });

  it('keeps within the permits of keys', async () => {
    await wait(
      50,
      `case when nth <= 30 then 'slow.test' when nth <= 40 then 'some.test' else 'new.test' end`,
      { account: 'gen_random_uuid()' },
    );
    const keys = { keys: ['slow.test', 'some.test'], permits: [0, 3], others: 4 };
    const { items, leftBehind, headIsBlocked } = await rows.claimOldest(request({ keys }));
    const of = (name: string) => count(items, ({ key }) => key === name);
    expect([of('slow.test'), of('some.test'), of('new.test')]).toEqual([0, 3, 4]);
    expect([leftBehind, headIsBlocked]).toEqual([true, false]);
  });

  it('gives an account three times as many permits of a key as stay free for others', async () => {
    await wait(100, `'mail.test'`);
    await wait(1, `'mail.test'`, { account: `'${bob}'` });
    const of = { keys: { keys: ['mail.test'], permits: [20], others: 80 } };
    const flows = [{ accountId: ann, key: 'mail.test', used: 40 }];
    const { items } = await rows.claimOldest(request({ ...of, flows }));
    expect([ann, bob].map((id) => count(items, ({ accountId }) => accountId === id))).toEqual([5, 1]);
  });

  it('keeps within the permits of accounts, counting only what its keys have permits for', async () => {
    await wait(20, `case when nth <= 10 then 'slow.test' else 'new.test' end`);
    await wait(10, `'new.test'`, { account: `'${bob}'` });
    const accounts = { keys: [ann], permits: [5], others: 7 };
    for (const claim of ['claimOldest', 'claimInTurns'] as const) {
      const claimed = await rows[claim](request({ keys: none('slow.test'), accounts }));
      const items = Array.isArray(claimed) ? claimed : claimed.items;
      expect([ann, bob].map((id) => count(items, ({ accountId }) => accountId === id))).toEqual([5, 7]);
      expect(count(items, ({ key }) => key === 'slow.test')).toBe(0);
      await tables.query(`update parcels set state = 'waiting'`);
    }
  });

  it('tells when a backlog without permits hides what is behind it, and finds that in turns', async () => {
    await wait(5_000, `'slow.test'`);
    await wait(30, `'other' || nth % 3 || '.test'`, { dueFrom: `now() - interval '1 minute'` });
    const oldest = await rows.claimOldest(request({ keys: none('slow.test') }));
    expect(oldest).toEqual({ items: [], leftBehind: true, headIsBlocked: true });
    const found = await rows.claimInTurns(request({ keys: none('slow.test') }));
    expect(found).toHaveLength(30);
    expect(await rows.claimInTurns(request({ keys: none('slow.test') }))).toEqual([]);
  });

  it('in turns finds one row of an account behind the backlog of another at the same key', async () => {
    await wait(5_000, `'mail.test'`);
    await wait(1, `'mail.test'`, { account: `'${bob}'` });
    const found = await rows.claimInTurns(request({ accounts: { keys: [ann], permits: [0], others: 10 } }));
    expect(found).toMatchObject([{ accountId: bob }]);
  });

  it('in turns passes over an account without permits at once, however many keys it has', async () => {
    await wait(3_000, `'d' || nth || '.test'`);
    await wait(1, `'mail.test'`, { account: `'${bob}'` });
    const found = await rows.claimInTurns(request({ accounts: { keys: [ann], permits: [0], others: 10 } }));
    expect(found).toMatchObject([{ accountId: bob }]);
  });

  it('in turns takes all keys, many more than it looks at in one go', async () => {
    await wait(3_600, `'d' || nth % 1200 || '.test'`);
    const served = new Map<string, number>();
    const keys = { keys: [], permits: [], others: 1 };
    for (let turn = 0; turn < 12; turn++) {
      for (const { key } of await rows.claimInTurns(request({ limit: 100, keys }))) {
        served.set(key, (served.get(key) ?? 0) + 1);
      }
    }
    expect(served.size).toBe(1_200);
    expect(new Set(served.values())).toEqual(new Set([1]));
  });

  it('reads no more pages with 200,000 rows waiting', async () => {
    await wait(200_000, `case when nth < 190000 then 'slow.test' else 'd' || nth % 5000 || '.test' end`);
    await tables.query('analyze parcels');
    const sql = statementsOf(PARCELS);
    const parameters = [
      newId(),
      200,
      60,
      ['slow.test'],
      [0],
      80,
      [ann],
      [150],
      150,
      [ann],
      ['slow.test'],
      [80],
    ];
    for (const [statement, ...position] of [
      [sql.claimOldest, 450],
      [sql.claimInTurns, '00000000-0000-0000-0000-000000000000', ''],
    ] as const) {
      const text = await explain(statement, [...parameters, ...position]);
      expect(text).not.toMatch(/Seq Scan on parcels/);
      expect(Number(/Buffers: shared hit=(\d+)/.exec(text)?.[1])).toBeLessThan(20_000);
    }
  });
});

async function explain(statement: string, parameters: unknown[]): Promise<string> {
  const plan: Record<string, string>[] = await tables.query(
    `explain (analyze, buffers) ${statement}`,
    parameters,
  );
  return plan.map((row) => row['QUERY PLAN']).join('\n');
}

describe('the next due time', () => {
  it('is told in milliseconds', async () => {
    expect(await rows.nextDueInMs()).toBeUndefined();
    await wait(1, `'mail.test'`, { dueFrom: `now() + interval '1 minute'` });
    const ms = await rows.nextDueInMs();
    expect(ms).toBeGreaterThan(50_000);
    expect(ms).toBeLessThanOrEqual(60_001);
  });
});

it('what the table looks up is told with each claimed row, at its intake, too', async () => {
  const lookups = `(select 'note of ' || claimed.label where claimed.key = 'town') as note`;
  const toItem = (row: Parameters<typeof PARCELS.toItem>[0]) => ({
    ...PARCELS.toItem(row),
    note: row['note'],
  });
  const own = new LeasedRows(tables, { ...PARCELS, lookups, toItem });
  const [claimed, left, elsewhere] = [parcel(), parcel(), parcel({ key: 'village' })];
  const ids = new Set([claimed.id, elsewhere.id]);
  const lease = { worker: newId(), leaseSeconds: 60, ids };
  const insert = () => tables.transaction((tx) => own.insert(tx, [claimed, left, elsewhere], lease));
  expect((await insert()).map(({ id, note }) => [id, note])).toEqual([
    [claimed.id, 'note of a book'],
    [elsewhere.id, null],
  ]);
  expect(await insert()).toEqual([]);
  const { items } = await own.claimOldest(request());
  expect(items).toMatchObject([{ id: left.id, note: 'note of a book' }]);
});

describe('giving back', () => {
  it('returns what was not begun as if it had not been claimed', async () => {
    await wait(3, `'mail.test'`);
    await tables.query(
      `update parcels set attempts = 2, first_attempt_at = '2026-01-05T08:00:00Z' where label = 'r3'`,
    );
    const worker = newId();
    const { items } = await rows.claimOldest(request({ worker }));
    const begun = items.find(({ label }) => label === 'r2')!;
    expect(await rows.giveBack(newId(), [])).toBe(0);
    expect(await rows.giveBack(worker, [begun.id])).toBe(2);
    const left = await tables.query(
      'select label, state, attempts, first_attempt_at, lease_owner from parcels order by label',
    );
    const eight = new Date('2026-01-05T08:00:00Z');
    expect(left).toMatchObject([
      { label: 'r1', state: 'waiting', attempts: 0, first_attempt_at: null, lease_owner: null },
      { label: 'r2', state: 'leased', attempts: 1, lease_owner: worker },
      { label: 'r3', state: 'waiting', attempts: 2, first_attempt_at: eight, lease_owner: null },
    ]);
    const again = await rows.claimOldest(request());
    expect(again.items.map(({ label, leaseToken }) => [label, leaseToken]).sort()).toEqual([
      ['r1', '2'],
      ['r3', '2'],
    ]);
  });
});
