import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { LeasedRows, parametersOf } from './leased-rows.js';
import { BULK, constantRooms, SINGLE, type GroupRooms, type Lane } from './leased-table.js';
import { Places } from './places.js';
import { statementsOf } from './statements.js';
import { openParcels, parcel, PARCELS, type Parcel } from '../testing/sample-queue.js';
import { Turns } from './turns.js';

const database = testDatabase();
let tables: DataSource;
let rows: LeasedRows<Parcel>;

beforeAll(async () => {
  tables = await openParcels(database.url);
});
afterAll(() => tables?.destroy());
beforeEach(async () => {
  await tables.query('truncate parcels, weights');
  rows = new LeasedRows(tables, PARCELS);
});

const [ann, bob] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];

interface Wanted {
  /** SQL expression of `nth`, 1… */
  group?: string;
  account?: string;
  lane?: Lane;
  state?: string;
  dueFrom?: string;
}

/** Inserts rows; the first one is due longest. */
async function wait(count: number, wanted: Wanted = {}): Promise<void> {
  const { group = `'mail.test'`, account = `'${ann}'`, lane = SINGLE, state = 'ready' } = wanted;
  await tables.query(
    `insert into parcels (id, account_id, group_key, lane, state, label, due_at)
     select gen_random_uuid(), (${account})::uuid, ${group}, ${lane}, '${state}', 'r' || nth,
       ${wanted.dueFrom ?? `now() - interval '1 hour'`} + nth * interval '1 millisecond'
     from generate_series(1, ${count}) as nth`,
  );
}

/** The state that a worker keeps between its claims. */
class Claimer {
  readonly id = newId();
  readonly turns = new Turns();
  readonly places: Places;

  constructor({ total = 200, rooms = constantRooms(80) }: { total?: number; rooms?: GroupRooms } = {}) {
    this.places = new Places(total, rooms);
  }

  request(limit = this.places.free(), mostGroups = 100) {
    const { turns } = this;
    const bounds = this.places.bounds(limit, turns.freshGroups(Date.now()), turns.cursorGroups());
    return { worker: this.id, leaseSeconds: 60, bounds, turns, mostGroups };
  }

  async claimed(limit?: number) {
    const request = this.request(limit);
    const claimed = await rows.claim(request);
    for (const item of claimed.items) this.places.occupy(item);
    this.turns.claimed(
      claimed.turns,
      claimed.groups.at(-1) ?? null,
      claimed.items.length >= request.bounds.limit,
    );
    return claimed;
  }

  async claim(limit?: number): Promise<Parcel[]> {
    return (await this.claimed(limit)).items;
  }

  finish(items: readonly Parcel[]): void {
    for (const item of items) this.places.vacate(item);
  }
}

const countBy = <T>(items: readonly T[], of: (item: T) => string | number): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[of(item)] = (counts[of(item)] ?? 0) + 1;
  return counts;
};
const byAccount = (items: readonly Parcel[]) => countBy(items, ({ accountId }) => accountId);
const byKey = (items: readonly Parcel[]) => countBy(items, ({ key }) => key);
const byLane = (items: readonly Parcel[]) => countBy(items, ({ lane }) => lane);

describe('a claim', () => {
  it('leases the rows that are due longest, and returns the lookups of the table with each', async () => {
    await wait(5);
    await wait(1, { state: 'waiting', dueFrom: `now() + interval '1 hour'` });
    const own = new Claimer();
    const { items, leftBehind } = await own.claimed(3);
    expect(items.map(({ label }) => label)).toEqual(['r1', 'r2', 'r3']);
    expect(items[0]).toMatchObject({
      key: 'mail.test',
      lane: 0,
      accountId: ann,
      attempt: 1,
      leaseToken: '1',
    });
    expect(items[0]!.firstAttemptAt).toBeInstanceOf(Date);
    expect(leftBehind).toBe(true);
    expect(await own.claimed()).toMatchObject({ items: [{}, {}], leftBehind: false });
    expect(await own.claimed()).toMatchObject({ items: [], leftBehind: false, groups: [] });
    const leased = await tables.query(
      `select count(*)::int as count from parcels where lease_owner = $1 and state = 'leased'`,
      [own.id],
    );
    expect(leased).toEqual([{ count: 5 }]);
  });

  it('never gives one row to two workers', async () => {
    await wait(1_000, { group: `'g' || nth % 40 || '.test'` });
    const taken: string[] = [];
    const takeAll = async () => {
      const own = new Claimer();
      for (let misses = 0; misses < 3;) {
        const items = await own.claim(20);
        own.finish(items);
        taken.push(...items.map(({ id }) => id));
        misses = items.length === 0 ? misses + 1 : 0;
      }
    };
    await Promise.all([takeAll(), takeAll(), takeAll(), takeAll()]);
    expect(taken).toHaveLength(1_000);
    expect(new Set(taken).size).toBe(1_000);
  });

  it('skips rows that another worker is claiming', async () => {
    await wait(4);
    const runner = tables.createQueryRunner();
    await runner.startTransaction();
    await runner.query(`select from parcels where label in ('r1', 'r2') for update`);
    const found = await new Claimer().claim().finally(() => runner.rollbackTransaction());
    await runner.release();
    expect(found.map(({ label }) => label)).toEqual(['r3', 'r4']);
  });

  it('keeps within the limits of groups, and never claims groups that are not looked up', async () => {
    const group = `(array['slow.test', 'some.test', 'new.test', 'd:far.test'])[1 + nth % 4]`;
    await wait(80, { group, account: 'gen_random_uuid()' });
    const named = new Map([
      ['slow.test', 0],
      ['some.test', 3],
    ]);
    const rooms = { others: 4, entries: () => named, of: (key: string) => named.get(key) ?? 4 };
    const own = new Claimer({ rooms });
    const { items, leftBehind } = await own.claimed();
    expect(byKey(items)).toEqual({ 'some.test': 3, 'new.test': 4 });
    expect(leftBehind).toBe(true);
    expect(await own.claim()).toEqual([]);
  });

  it('gives an account three times as many places of a group as stay free for others', async () => {
    await wait(100);
    await wait(1, { account: `'${bob}'` });
    const own = new Claimer({ rooms: constantRooms(60) });
    expect(byAccount(await own.claim())).toEqual({ [ann]: 45, [bob]: 1 });
  });

  it('leaves a quarter of the places to others, however many groups an account has', async () => {
    await wait(300, { group: `'g' || nth || '.test'` });
    const own = new Claimer({ total: 100 });
    for (let nth = 0; nth < 5; nth++) await own.claim();
    expect(own.places.inUse).toBe(75);
    await wait(10, { group: `'z' || nth || '.test'`, account: `'${bob}'` });
    const found: Parcel[] = [];
    for (let nth = 0; nth < 5; nth++) found.push(...(await own.claim()));
    expect(byAccount(found)).toEqual({ [bob]: 10 });
  });

  it('leaves a tenth of the places to singles', async () => {
    await wait(500, { lane: BULK, account: `'00000000-0000-4000-8000-00000000000' || nth % 9` });
    await wait(500, { lane: BULK, group: `'g' || nth || '.test'` });
    const own = new Claimer({ total: 100, rooms: constantRooms(1_000) });
    for (let nth = 0; nth < 8; nth++) await own.claim();
    expect(own.places.inUse).toBeGreaterThan(60);
    expect(own.places.inUse).toBeLessThanOrEqual(90);
    await wait(10, { group: `'idle.test'`, account: `'${bob}'` });
    own.turns.came(bob, 'idle.test', Date.now());
    expect(byKey(await own.claim())).toMatchObject({ 'idle.test': expect.any(Number) });
  });

  it('finds a place for a single of an account that fills all it may with bulk', async () => {
    await wait(500, { lane: BULK, group: `'g' || nth || '.test'` });
    const own = new Claimer({ total: 100 });
    for (let nth = 0; nth < 8; nth++) await own.claim();
    expect(byLane(await own.claim())).toEqual({});
    await wait(1, { group: `'idle.test'` });
    own.turns.came(ann, 'idle.test', Date.now());
    expect(byKey(await own.claim())).toEqual({ 'idle.test': 1 });
  });
});

describe('lanes', () => {
  it('take turns in a group: eight singles, then one of bulk', async () => {
    await wait(100, { account: `'00000000-0000-4000-8000-00000000000' || nth % 5` });
    await wait(100, { lane: BULK });
    const items = await new Claimer({ rooms: constantRooms(18) }).claim();
    expect(items.slice(0, 9).map(({ lane }) => lane)).toContain(BULK);
    expect(byLane(items)).toEqual({ 0: 16, 1: 2 });
  });

  it('take turns where one row at a time has room as well', async () => {
    await wait(40, { account: `'${bob}'` });
    await wait(40, { lane: BULK });
    const own = new Claimer({ rooms: constantRooms(1) });
    const items: Parcel[] = [];
    for (let nth = 0; nth < 18; nth++) {
      const claimed = await own.claim();
      expect(claimed).toHaveLength(1);
      own.finish(claimed);
      items.push(...claimed);
    }
    expect(byLane(items)).toEqual({ 0: 16, 1: 2 });
  });
});

describe('accounts', () => {
  it('take turns in a group, however few have room at once', async () => {
    await wait(400, { account: `'00000000-0000-4000-8000-0000000000' || (10 + nth % 40)` });
    const own = new Claimer({ rooms: constantRooms(5) });
    const items: Parcel[] = [];
    for (let nth = 0; nth < 16; nth++) {
      const claimed = await own.claim();
      own.finish(claimed);
      items.push(...claimed);
    }
    const counts = Object.values(byAccount(items));
    expect([counts.length, Math.min(...counts), Math.max(...counts)]).toEqual([40, 2, 2]);
  });

  it('have their share of a group by weight, within a tenth', async () => {
    await tables.query('insert into weights values ($1, 3)', [bob]);
    await wait(600);
    await wait(600, { account: `'${bob}'` });
    const own = new Claimer({ rooms: constantRooms(8) });
    const inFlight = await own.claim();
    const done: Parcel[] = [];
    while (done.length < 400) {
      const first = inFlight.splice(0, 1);
      own.finish(first);
      done.push(...first);
      inFlight.push(...(await own.claim()));
    }
    const shares = byAccount(done);
    const ratio = (shares[bob] ?? 0) / (shares[ann] ?? 1);
    expect(ratio).toBeGreaterThan(2.7);
    expect(ratio).toBeLessThan(3.3);
  });

  it('take turns over all groups: one row is not behind those to a thousand groups of another', async () => {
    await wait(1_000, { group: `'g' || nth || '.test'` });
    await wait(1, { account: `'${bob}'`, group: `'g500.test'` });
    const own = new Claimer({ total: 20 });
    own.turns.came(bob, 'g500.test', Date.now());
    expect(byAccount(await own.claim(2))).toEqual({ [ann]: 1, [bob]: 1 });
  });
});

describe('groups', () => {
  it('take turns: each is served, also when there are more than one claim visits', async () => {
    await wait(3_600, { group: `'g' || nth % 1200 || '.test'`, account: 'gen_random_uuid()' });
    const own = new Claimer({ rooms: constantRooms(1) });
    const served: Parcel[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const items = await own.claim(100);
      own.finish(items);
      served.push(...items);
    }
    expect(new Set(Object.values(byKey(served)))).toEqual(new Set([1]));
    expect(Object.keys(byKey(served))).toHaveLength(1_200);
  });

  it('that are suspended delay no other group', async () => {
    await wait(5_000, { group: `'g' || nth % 500 || '.test'` });
    const suspended = Array.from({ length: 500 }, (_, nth): [string, number] => [`g${nth}.test`, 0]);
    const of = (key: string) => (key.startsWith('g') ? 0 : 8);
    const own = new Claimer({ rooms: { others: 8, entries: () => suspended, of } });
    await wait(1, { group: `'z.test'`, account: `'${bob}'` });
    await wait(1, { group: `'zz.test'`, account: `'${bob}'` });
    own.turns.came(bob, 'z.test', Date.now());
    expect(byKey(await own.claim())).toEqual({ 'z.test': 1 });
    const later: Parcel[] = [];
    for (let turn = 0; turn < 5; turn++) later.push(...(await own.claim()));
    expect(byKey(later)).toEqual({ 'zz.test': 1 });
  });

  it('share the rows of one claim when there are many', async () => {
    await wait(400, { group: `case when nth <= 390 then 'huge.test' else 'g' || nth || '.test' end` });
    const own = new Claimer({ total: 400, rooms: constantRooms(60) });
    const { items, isCut } = await own.claimed(40);
    expect(isCut).toBe(true);
    expect(Object.keys(byKey(items))).toHaveLength(11);
  });
});

describe('an intake', () => {
  const insert = (given: Parameters<typeof parcel>[0][]) =>
    tables.transaction((tx) =>
      rows.insert(tx, given.map(parcel), { worker: newId(), leaseSeconds: 60, ids: new Set() }),
    );

  it('puts rows behind 500 singles of their account and group into the bulk lane', async () => {
    await wait(500);
    await insert([
      { accountId: ann, key: 'mail.test', columns: { label: 'behind' } },
      { accountId: bob, key: 'mail.test', columns: { label: 'of another' } },
      { accountId: ann, key: 'other.test', columns: { label: 'elsewhere' } },
    ]);
    const made = await tables.query(`select label, lane, state from parcels where label not like 'r%'`);
    expect(new Map(made.map(({ label, lane }: { label: string; lane: number }) => [label, lane]))).toEqual(
      new Map([
        ['behind', BULK],
        ['of another', SINGLE],
        ['elsewhere', SINGLE],
      ]),
    );
    expect(new Set(made.map(({ state }: { state: string }) => state))).toEqual(new Set(['ready']));
  });

  it('leaves campaigns of the account out of account', async () => {
    await wait(600, { lane: BULK });
    await insert([{ accountId: ann, key: 'mail.test', columns: { label: 'single' } }]);
    expect(await tables.query(`select lane from parcels where label = 'single'`)).toEqual([{ lane: 0 }]);
  });
});

describe('a sweep', () => {
  it('makes due rows ready, returns their accounts and when the next one is due', async () => {
    expect(await rows.sweep()).toEqual({
      ...{ isReady: false, isUnclaimable: false, isCut: false, nextMs: undefined, fresh: [] },
    });
    await wait(2, { state: 'waiting' });
    await wait(2, { state: 'waiting', lane: BULK, account: `'${bob}'` });
    await wait(1, { state: 'waiting', dueFrom: `now() + interval '59 seconds'` });
    const swept = await rows.sweep();
    const of = { isReady: true, isUnclaimable: false, isCut: false, fresh: [[ann, 'mail.test']] };
    expect(swept).toMatchObject(of);
    expect(swept.nextMs).toBeGreaterThan(50_000);
    expect(swept.nextMs).toBeLessThanOrEqual(60_001);
    expect(await new Claimer().claim()).toHaveLength(4);
  });

  it('reports due rows in a group that has to be looked up before a claim', async () => {
    await wait(1, { state: 'waiting', group: `'d:far.test'` });
    expect(await rows.sweep()).toMatchObject({ isUnclaimable: true });
    expect(await rows.sweep()).toMatchObject({ isUnclaimable: false });
    expect(await new Claimer().claim()).toEqual([]);
  });

  it('finds a group for rows that the release before inserted', async () => {
    await wait(1, { state: 'waiting', group: 'null' });
    await rows.sweep();
    expect(await new Claimer().claim()).toMatchObject([{ key: 'town' }]);
  });

  it('makes rows past their end claimable, even if their group is suspended or not looked up', async () => {
    await wait(3, { group: `(array['slow.test', 'd:far.test', 'mail.test'])[nth]` });
    await tables.query(`update parcels set ends_at = now() - interval '2 seconds' where label <> 'r3'`);
    await rows.sweep();
    const of = (key: string) => (key === 'ended' ? 8 : 0);
    const own = new Claimer({ rooms: { others: 0, entries: () => [['ended', 8]], of } });
    const ended = await own.claim();
    expect(ended.map(({ label }) => label).sort()).toEqual(['r1', 'r2']);
    // as if it had been tried when it was due: its window is over
    expect(ended.map(({ firstAttemptAt }) => firstAttemptAt)).toEqual(ended.map(({ dueAt }) => dueAt));
    expect(ended.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });
});

describe('with very many rows ready', () => {
  const BACKLOG = `case when nth < 150000 then 'slow.test' else 'g' || nth % 5000 || '.test' end`;

  const plans: string[] = [];

  async function pagesOf(own: Claimer): Promise<number> {
    const plan: Record<string, string>[] = await tables.query(
      `explain (analyze, buffers) ${statementsOf(PARCELS).claim}`,
      parametersOf(own.request(100)),
    );
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    plans.push(text);
    await tables.query(`update parcels set state = 'ready' where state = 'leased'`);
    return Number(/Buffers: shared hit=(\d+)/.exec(text)?.[1]);
  }

  it('the generic plan uses the same probes', async () => {
    await wait(20_000, { group: `'g' || nth % 500 || '.test'` });
    await tables.query('vacuum analyze parcels');
    const plan: Record<string, string>[] = await tables.query(
      `explain (generic_plan) ${statementsOf(PARCELS).claim}`,
    );
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/Seq Scan on parcels/);
  });

  it('a claim reads hardly more pages than with 2,000: it finds rows by probes of an index only', async () => {
    const accounts = { account: `'00000000-0000-4000-8000-0000000000' || (10 + nth % 40)` };
    await wait(2_000, { group: `'g' || nth % 500 || '.test'`, ...accounts });
    await tables.query('analyze parcels');
    const few = await pagesOf(new Claimer());
    await tables.query('truncate parcels');
    await wait(200_000, { group: BACKLOG, ...accounts });
    await wait(100_000, { state: 'waiting', dueFrom: `now() + interval '1 hour'`, ...accounts });
    await tables.query('vacuum analyze parcels');
    const many = await pagesOf(new Claimer());
    expect(many).toBeLessThan(few * 2);
    expect(plans.at(-1)).not.toMatch(/Seq Scan on parcels/);
  });
});

it('the lookups of the table are returned with each claimed row, at its intake, too', async () => {
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
  const { items } = await own.claim(new Claimer().request());
  expect(items).toMatchObject([{ id: left.id, note: 'note of a book' }]);
});

describe('giving back', () => {
  it('returns rows that were not begun as if they had not been claimed', async () => {
    await wait(3);
    await tables.query(
      `update parcels set attempts = 2, first_attempt_at = '2026-01-05T08:00:00Z' where label = 'r3'`,
    );
    const worker = new Claimer();
    const items = await worker.claim();
    const begun = items.find(({ label }) => label === 'r2')!;
    expect(await rows.giveBack(newId(), [])).toBe(0);
    expect(await rows.giveBack(worker.id, [begun.id])).toBe(2);
    const left = await tables.query(
      'select label, state, attempts, first_attempt_at, lease_owner from parcels order by label',
    );
    const eight = new Date('2026-01-05T08:00:00Z');
    expect(left).toMatchObject([
      { label: 'r1', state: 'waiting', attempts: 0, first_attempt_at: null, lease_owner: null },
      { label: 'r2', state: 'leased', attempts: 1, lease_owner: worker.id },
      { label: 'r3', state: 'waiting', attempts: 2, first_attempt_at: eight, lease_owner: null },
    ]);
    await rows.sweep();
    const again = await new Claimer().claim();
    expect(again.map(({ label, leaseToken }) => [label, leaseToken]).sort()).toEqual([
      ['r1', '2'],
      ['r3', '2'],
    ]);
  });
});
