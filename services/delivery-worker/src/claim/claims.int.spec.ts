import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { testDatabase } from '@postmesh/testing';
import { DELIVERY_WORKER_SERVICE } from '../delivery-worker.definition.js';
import { CLAIM_OLDEST, CLAIM_SPREAD } from './claim-statements.js';
import { DeliveryClaims, type ClaimRequest } from './delivery-claims.js';

const database = testDatabase();
let tables: DataSource;
let claims: DeliveryClaims;

beforeAll(async () => {
  tables = await openDatabase({
    url: database.url,
    schema: 'delivery_worker',
    entities: [],
    migrations: DELIVERY_WORKER_SERVICE.database!.migrations,
    poolSize: 8,
    logger: createLogger({ logLevel: 'silent' }, 'test'),
  });
});
afterAll(() => tables?.destroy());
beforeEach(async () => {
  await tables.query('truncate deliveries, messages');
  claims = new DeliveryClaims(tables);
});

const OTHERS = { destinations: [], rooms: [], others: 80 };
const request = (change: Partial<ClaimRequest> = {}): ClaimRequest => ({
  worker: newId(),
  limit: 100,
  leaseSeconds: 60,
  rooms: OTHERS,
  ...change,
});
const full = (...destinations: string[]) => ({ destinations, rooms: destinations.map(() => 0), others: 80 });

/** Waiting deliveries, the first one due longest. @param destination an SQL expression of `nth`, 1… */
async function wait(
  count: number,
  destination: string,
  dueFrom = `now() - interval '1 hour'`,
): Promise<void> {
  await tables.query(
    `insert into messages select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'shop.test', 'a@shop.test', 'x',
       '<x@shop.test>', gen_random_uuid(), 'rp.shop.test', null, null, now(), 100 from generate_series(1, $1)`,
    [count],
  );
  await tables.query(
    `insert into deliveries (id, send_request_id, recipient, destination, due_at)
     select send_request_id, send_request_id, 'r' || nth, ${destination}, ${dueFrom} + nth * interval '1 millisecond'
     from (select send_request_id, row_number() over () as nth from messages
           where send_request_id not in (select send_request_id from deliveries)) as fresh`,
  );
}

describe('a claim', () => {
  it('leases the oldest due deliveries, with what their messages say', async () => {
    await wait(5, `'mail.test'`);
    await wait(1, `'mail.test'`, `now() + interval '1 hour'`);
    const worker = newId();
    const { deliveries, leftBehind } = await claims.oldest(request({ worker, limit: 3 }));
    expect(deliveries.map(({ recipient }) => recipient).sort()).toEqual(['r1', 'r2', 'r3']);
    expect(deliveries[0]).toMatchObject({
      destination: 'mail.test',
      attempt: 1,
      lease_token: '1',
      domain: 'shop.test',
    });
    expect(deliveries[0]!.first_attempt_at).toBeInstanceOf(Date);
    expect(leftBehind).toBe(true);
    const rest = await claims.oldest(request());
    expect(rest.deliveries).toHaveLength(2);
    expect(rest).toMatchObject({ leftBehind: false, clogged: false });
    expect(await claims.oldest(request())).toEqual({ deliveries: [], leftBehind: false, clogged: false });
    const leased = await tables.query(
      `select count(*)::int as count from deliveries where lease_owner = $1 and state = 'leased'`,
      [worker],
    );
    expect(leased).toEqual([{ count: 3 }]);
  });

  it('never gives one delivery to two workers', async () => {
    await wait(1_000, `'d' || nth % 40 || '.test'`);
    const taken: string[] = [];
    const takeAll = async () => {
      const own = new DeliveryClaims(tables);
      for (let misses = 0; misses < 3;) {
        const { deliveries } = await own.oldest(request({ limit: 20 }));
        taken.push(...deliveries.map(({ id }) => id));
        misses = deliveries.length === 0 ? misses + 1 : 0;
      }
    };
    await Promise.all([takeAll(), takeAll(), takeAll(), takeAll()]);
    expect(taken).toHaveLength(1_000);
    expect(new Set(taken).size).toBe(1_000);
  });

  it('keeps within the rooms of destinations', async () => {
    await wait(
      50,
      `case when nth <= 30 then 'slow.test' when nth <= 40 then 'some.test' else 'new.test' end`,
    );
    const rooms = { destinations: ['slow.test', 'some.test'], rooms: [0, 3], others: 4 };
    const { deliveries, leftBehind, clogged } = await claims.oldest(request({ rooms }));
    const count = (name: string) => deliveries.filter(({ destination }) => destination === name).length;
    expect([count('slow.test'), count('some.test'), count('new.test')]).toEqual([0, 3, 4]);
    expect([leftBehind, clogged]).toEqual([true, false]);
  });

  it('tells when a backlog without room hides what is behind it, and finds that out of turn', async () => {
    await wait(5_000, `'slow.test'`);
    await wait(30, `'other' || nth % 3 || '.test'`, `now() - interval '1 minute'`);
    const oldest = await claims.oldest(request({ rooms: full('slow.test') }));
    expect(oldest).toEqual({ deliveries: [], leftBehind: true, clogged: true });
    const found = await claims.spread(request({ rooms: full('slow.test') }));
    expect(found).toHaveLength(30);
    expect(await claims.spread(request({ rooms: full('slow.test') }))).toEqual([]);
  });

  it('out of turn takes all destinations in turns, many more than it looks at in one go', async () => {
    await wait(3_600, `'d' || nth % 1200 || '.test'`);
    const served = new Map<string, number>();
    const rooms = { destinations: [], rooms: [], others: 1 };
    for (let turn = 0; turn < 12; turn++) {
      for (const { destination } of await claims.spread(request({ limit: 100, rooms }))) {
        served.set(destination, (served.get(destination) ?? 0) + 1);
      }
    }
    expect(served.size).toBe(1_200);
    expect(new Set(served.values())).toEqual(new Set([1]));
  });

  it('costs the same with 200,000 deliveries waiting', async () => {
    await wait(200_000, `case when nth < 190000 then 'slow.test' else 'd' || nth % 5000 || '.test' end`);
    await tables.query('analyze deliveries');
    const parameters = [newId(), 200, 60, ['slow.test'], [0], 80];
    for (const [statement, last] of [
      [CLAIM_OLDEST, 450],
      [CLAIM_SPREAD, ''],
    ] as const) {
      const text = await explain(statement, [...parameters, last]);
      expect(text).not.toMatch(/Seq Scan on (deliveries|messages)/);
      expect(Number(/Buffers: shared hit=(\d+)/.exec(text)?.[1])).toBeLessThan(20_000);
    }
    const begun = performance.now();
    await claims.oldest(request({ limit: 200, rooms: full('slow.test') }));
    await claims.spread(request({ limit: 200, rooms: full('slow.test') }));
    await claims.nextDueInMs();
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

async function explain(statement: string, parameters: unknown[]): Promise<string> {
  const rows: Record<string, string>[] = await tables.query(
    `explain (analyze, buffers) ${statement}`,
    parameters,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

describe('the next due time', () => {
  it('is told in milliseconds', async () => {
    expect(await claims.nextDueInMs()).toBeUndefined();
    await wait(1, `'mail.test'`, `now() + interval '1 minute'`);
    const ms = await claims.nextDueInMs();
    expect(ms).toBeGreaterThan(50_000);
    expect(ms).toBeLessThanOrEqual(60_001);
  });
});

describe('giving back', () => {
  it('returns what was not begun as if it had not been claimed', async () => {
    await wait(3, `'mail.test'`);
    await tables.query(
      `update deliveries set attempt = 2, first_attempt_at = '2026-01-05T08:00:00Z' where recipient = 'r3'`,
    );
    const worker = newId();
    const { deliveries } = await claims.oldest(request({ worker }));
    const begun = deliveries.find(({ recipient }) => recipient === 'r2')!;
    expect(await claims.giveBack(newId(), [])).toBe(0);
    expect(await claims.giveBack(worker, [begun.id])).toBe(2);
    const rows = await tables.query(
      'select recipient, state, attempt, first_attempt_at, lease_owner from deliveries order by recipient',
    );
    expect(rows).toMatchObject([
      { recipient: 'r1', state: 'waiting', attempt: 0, first_attempt_at: null, lease_owner: null },
      { recipient: 'r2', state: 'leased', attempt: 1, lease_owner: worker },
      {
        recipient: 'r3',
        state: 'waiting',
        attempt: 2,
        first_attempt_at: new Date('2026-01-05T08:00:00Z'),
        lease_owner: null,
      },
    ]);
    const again = await claims.oldest(request());
    expect(again.deliveries.map(({ recipient, lease_token }) => [recipient, lease_token]).sort()).toEqual([
      ['r1', '2'],
      ['r3', '2'],
    ]);
  });
});
