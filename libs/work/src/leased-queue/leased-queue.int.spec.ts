import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { processSpace, processStart } from '@postmesh/concurrency';
import { newId } from '@postmesh/contracts';
import { DatabaseClock } from '@postmesh/database';
import { buildTestScript, testDatabase } from '@postmesh/testing';
import { createLogger } from '@postmesh/observability';
import type { LeasedQueueOptions } from './leased-queue.js';
import { LeasedRows } from './leased-rows.js';
import type { NewRow } from './leased-table.js';
import {
  openParcels,
  parcel,
  PARCELS,
  startCourier,
  type Courier,
  type Parcel,
} from '../testing/sample-queue.js';
import { WorkerLease } from './worker-lease.js';

const database = testDatabase();
const closing: (() => Promise<unknown>)[] = [];
let tables: DataSource;

beforeAll(async () => {
  tables = await openParcels(database.url);
});
afterAll(() => tables?.destroy());
beforeEach(() => tables.query('truncate parcels, weights, workers, story'));
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const never = () => new Promise<string>(() => undefined);
const done = async () => 'done';
const later = () => new Date(Date.now() + 3_600_000);

async function courier(
  carry: (item: Parcel) => Promise<string | Date> = done,
  options: Partial<LeasedQueueOptions> = {},
): Promise<Courier> {
  const made = await startCourier(tables, carry, options);
  closing.push(() => made.stop());
  return made;
}

/** Inserts rows that are not claimed by the intake. */
async function addWaiting(through: Courier, rows: readonly NewRow[]): Promise<void> {
  await through.add(...rows.map((row) => ({ ...row, dueAt: later() })));
  await tables.query(`update parcels set due_at = now() where state = 'waiting'`);
  through.queue.wake();
}

interface Told {
  id: string;
  attempt: number;
  said: string;
  account_id: string;
  group_key: string;
}
const story = (): Promise<Told[]> =>
  tables.query('select id, attempt, said, account_id, group_key from story order by nth');
const parcels = () => tables.query('select * from parcels order by due_at, id');
const many = (count: number, change: (nth: number) => Partial<NewRow> = () => ({})) =>
  Array.from({ length: count }, (_, nth) => parcel(change(nth)));

describe('two workers', () => {
  it('carry 1,000 rows, each once', async () => {
    const [one, two] = [await courier(), await courier()];
    const rows = many(1_000, (nth) => ({ key: `place ${nth % 25}` }));
    for (let at = 0; at < rows.length; at += 100) await addWaiting(one, rows.slice(at, at + 100));
    await expect.poll(story).toHaveLength(1_000);
    expect((await story()).every(({ said, attempt }) => said === 'done' && attempt === 1)).toBe(true);
    expect([...one.begun, ...two.begun].sort()).toEqual(rows.map(({ id }) => id).sort());
    expect(await parcels()).toEqual([]);
  });
});

describe('a row', () => {
  it('is tried again when its time has come, under the next number', async () => {
    let tries = 0;
    const { add } = await courier(async () => (++tries < 3 ? new Date(Date.now() + 20) : 'done'));
    await add(parcel());
    await expect.poll(story).toMatchObject([
      { attempt: 1, said: 'later' },
      { attempt: 2, said: 'later' },
      { attempt: 3, said: 'done' },
    ]);
  });

  it('is begun by its intake after an hour without rows, before any sweep', async () => {
    const { queue, add } = await courier();
    // no sweep of this test finds a row
    const nothing = { isReady: false, isUnclaimable: false, isCut: false, nextMs: undefined, fresh: [] };
    vi.spyOn(queue.rows, 'sweep').mockResolvedValue(nothing);
    // from now on only the test moves the clock of the loop
    vi.useFakeTimers({ toFake: ['performance'] });
    closing.push(async () => void vi.useRealTimers());
    vi.advanceTimersByTime(3_600_000);
    await add(parcel());
    await expect.poll(story).toMatchObject([{ attempt: 1, said: 'done' }]);
  });

  it('is not begun before it is due', async () => {
    const dueAt = new Date(Date.now() + 400);
    const { add, begun } = await courier();
    await add(parcel({ dueAt }));
    await expect.poll(() => begun).toHaveLength(1);
    expect(Date.now()).toBeGreaterThanOrEqual(dueAt.getTime() - 5);
  });

  it('comes in time on a machine whose clock is an hour ahead, and then jumps back', async () => {
    const clock = new DatabaseClock();
    const again = () => new Date(clock.now() + 300);
    let tries = 0;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    closing.push(async () => void vi.useRealTimers());
    const { add, begun } = await courier(async () => (++tries < 3 ? again() : 'done'), { clock });
    await add(parcel({ dueAt: clock.date() }));
    await expect.poll(() => begun).toHaveLength(2);
    vi.useRealTimers();
    await expect.poll(story).toHaveLength(3);
  });

  it('is inserted once, however often it arrives', async () => {
    const { add } = await courier();
    const row = parcel({ dueAt: later() });
    await add(row, row);
    await add(row);
    expect(await parcels()).toHaveLength(1);
  });
});

describe('an intake', () => {
  const isReady = async ({ add, begun }: Courier) => {
    await add(parcel());
    await expect.poll(() => begun).toHaveLength(1);
    await expect.poll(parcels).toEqual([]);
  };
  /** Resolves when the queue has checked all ready rows and is idle. @returns the claims from then on */
  const rests = async ({ queue }: Courier) => {
    const claims = vi.spyOn(queue.rows, 'claim');
    claims.mockClear();
    // lets it claim once more
    queue.regrouped([]);
    await expect.poll(() => claims.mock.settledResults[0]?.type).toBe('fulfilled');
    claims.mockClear();
    return claims;
  };

  it('claims due rows with permits in its own commit: no claim statement is needed', async () => {
    const own = await courier();
    await isReady(own);
    const claims = await rests(own);
    const rows = many(10);
    own.begun.length = 0;
    const afterCommit = await tables.transaction((manager) => own.queue.insert(manager, rows));
    expect(await parcels()).toMatchObject(
      rows.map(() => ({ state: 'leased', attempts: 1, lease_owner: own.queue.lease.id })),
    );
    expect(own.begun).toEqual([]);
    afterCommit();
    expect(own.begun).toEqual(rows.map(({ id }) => id));
    await expect.poll(story).toHaveLength(11);
    expect(await parcels()).toEqual([]);
    expect(claims).not.toHaveBeenCalled();
  });

  it('claims behind a backlog, too, if no row of the group waits', async () => {
    const own = await courier((item) => (item.key === 'slow' ? never() : done()), {
      concurrency: 8,
      graceMs: 100,
    });
    await addWaiting(
      own,
      many(30, () => ({ key: 'slow' })),
    );
    await expect.poll(() => own.begun.length).toBeGreaterThan(2);
    let state = '';
    for (let isDuringClaim = true; isDuringClaim;) {
      const claims = await rests(own);
      const row = parcel();
      const afterCommit = await tables.transaction((manager) => own.queue.insert(manager, [row]));
      [{ state }] = await tables.query('select state from parcels where id = $1', [row.id]);
      // the queue polls waiting rows every second; an intake leaves its rows to a claim that runs at that moment
      isDuringClaim = claims.mock.calls.length > 0;
      afterCommit();
    }
    expect(state).toBe('leased');
    const [last] = many(1, () => ({ key: 'slow' }));
    const afterCommit = await tables.transaction((manager) => own.queue.insert(manager, [last!]));
    afterCommit();
    expect(await tables.query('select state from parcels where id = $1', [last!.id])).toEqual([
      { state: 'ready' },
    ]);
  });

  it('leaves rows without a permit to the queue', async () => {
    const own = await courier(never, { concurrency: 4, graceMs: 100 });
    await expect
      .poll(async () => {
        await own.add(parcel({ key: `place ${newId()}` }));
        return own.begun.length;
      })
      .toBe(4);
    await own.add(...many(5));
    const states = (await parcels()) as { state: string }[];
    expect(states.filter(({ state }) => state === 'leased')).toHaveLength(4);
    expect(own.queue.size).toBe(4);
  });

  it('whose transaction fails begins nothing and keeps no permit', async () => {
    const own = await courier();
    await isReady(own);
    const broken = tables.transaction(async (manager) => {
      await own.queue.insert(manager, [parcel(), parcel({ accountId: 'nobody' })]);
    });
    await expect(broken).rejects.toThrow();
    expect(await parcels()).toEqual([]);
    expect(own.queue.size).toBe(0);
  });

  it('whose commit is never reported is found by its lease', async () => {
    const own = await courier();
    await isReady(own);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const row = parcel();
    let isLeased = false;
    while (!isLeased) {
      // sometimes the loop is polling at this moment, and the intake leaves the row to it
      await tables.transaction((manager) => own.queue.insert(manager, [{ ...row, id: newId() }]));
      isLeased = own.queue.size > 0;
    }
    vi.advanceTimersByTime(15_001);
    vi.useRealTimers();
    await expect.poll(parcels).toEqual([]);
    expect((await story()).every(({ said, attempt }) => said === 'done' && attempt === 1)).toBe(true);
    expect(own.queue.size).toBe(0);
  });
});

describe('a worker that is killed', () => {
  it('leaves rows behind that are retried; the results of those in flight are unknown', async () => {
    const own = await courier(done, { concurrency: 1 });
    await own.stop();
    await tables.query(
      `insert into parcels (id, account_id, group_key, due_at)
       select gen_random_uuid(), gen_random_uuid(), 'town', now() from generate_series(1, 12)`,
    );
    const killed = await killAfterTaking(5);
    expect(killed.length).toBeGreaterThanOrEqual(5);
    await tables.query(`update workers set heartbeat_at = now() - interval '5 seconds'`);
    const next = await courier();
    await expect.poll(async () => (await story()).filter(({ said }) => said === 'done').length).toBe(12);
    const unknown = (await story()).filter(({ said }) => said === 'result unknown');
    expect(unknown.map(({ id }) => id)).toEqual(expect.arrayContaining(killed));
    for (const { id, attempt } of unknown) {
      expect(attempt).toBe(1);
      expect(await story()).toContainEqual(expect.objectContaining({ id, attempt: 2, said: 'done' }));
    }
    expect(new Set(next.begun).size).toBe(next.begun.length);
    expect(await tables.query('select id from workers')).toHaveLength(2);
  });
});

/** @returns ids that the worker had begun when it was killed */
async function killAfterTaking(count: number): Promise<string[]> {
  const script = await buildTestScript(join(import.meta.dirname, '..', '..'), 'testing/worker-process.ts');
  const worker = spawn(process.execPath, [script, database.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const begun: string[] = [];
  await new Promise<void>((resolve, reject) => {
    worker.once('exit', () => reject(new Error('the worker ended unexpectedly')));
    worker.stdout.on('data', (text: Buffer) => {
      begun.push(...text.toString().trim().split('\n'));
      if (begun.length >= count) resolve();
    });
  });
  worker.removeAllListeners('exit');
  const gone = new Promise((resolve) => worker.once('exit', resolve));
  worker.kill('SIGKILL');
  await gone;
  return begun;
}

describe('a lease', () => {
  it('that ran out and was claimed again: the result of its first holder is not recorded', async () => {
    let finish: ((said: string) => void) | undefined;
    // with one permit, it claims nothing else while this one is in flight
    const slow = await courier(() => new Promise((resolve) => (finish = resolve)), { concurrency: 1 });
    await slow.add(parcel());
    await expect.poll(() => slow.begun).toHaveLength(1);
    const quick = await courier(async () => 'mine');
    await tables.query(`update parcels set leased_until = now() - interval '1 second'`);
    await quick.queue.lease.freeAbandoned();
    await expect.poll(() => quick.begun).toHaveLength(1);
    await expect.poll(parcels).toEqual([]);
    finish?.('too late');
    await expect.poll(() => slow.lost).toHaveLength(1);
    expect(await story()).toMatchObject([
      { attempt: 1, said: 'result unknown' },
      { attempt: 2, said: 'mine' },
    ]);
  });

  it('that ran out is still its holder’s while no worker has claimed the row again', async () => {
    let finish: ((said: string) => void) | undefined;
    const slow = await courier(() => new Promise((resolve) => (finish = resolve)), { concurrency: 1 });
    await slow.add(parcel());
    await expect.poll(() => slow.begun).toHaveLength(1);
    await tables.query(`update parcels set leased_until = now() - interval '1 second'`);
    await slow.queue.lease.freeAbandoned();
    await tables.query(`update parcels set state = 'waiting', due_at = now() + interval '1 hour'`);
    finish?.('known after all');
    await expect.poll(story).toMatchObject([
      { attempt: 1, said: 'result unknown' },
      { attempt: 1, said: 'known after all' },
    ]);
    expect(slow.lost).toEqual([]);
    expect(await parcels()).toEqual([]);
  });

  it('that ran out while another one tries in vain: the result of its first holder ends the row', async () => {
    let finish: ((said: string) => void) | undefined;
    const slow = await courier(() => new Promise((resolve) => (finish = resolve)), { concurrency: 1 });
    await slow.add(parcel());
    await expect.poll(() => slow.begun).toHaveLength(1);
    const quick = await courier(async () => later());
    await tables.query(`update parcels set leased_until = now() - interval '1 second'`);
    await quick.queue.lease.freeAbandoned();
    await expect.poll(story).toHaveLength(2);
    finish?.('known after all');
    await expect.poll(story).toMatchObject([
      { attempt: 1, said: 'result unknown' },
      { attempt: 2, said: 'later' },
      { attempt: 1, said: 'known after all' },
    ]);
    expect(await parcels()).toEqual([]);
  });

  it('of a row whose result could not be written is kept: the row is retried with an unknown result', async () => {
    const one = await courier();
    vi.spyOn(one.queue, 'settle').mockRejectedValueOnce(new TypeError('a bug'));
    await one.add(parcel());
    await expect.poll(() => one.begun).toHaveLength(1);
    await expect.poll(() => one.queue.size).toBe(0);
    // after a failed claim the queue gives back all rows that it may hold without knowing
    const giveBack = vi.spyOn(one.queue.rows, 'giveBack');
    vi.spyOn(one.queue.rows, 'claim').mockRejectedValueOnce(new Error('Connection terminated'));
    one.queue.regrouped([]);
    await expect.poll(() => giveBack.mock.settledResults[0]?.type).toBe('fulfilled');
    expect(await parcels()).toMatchObject([{ state: 'leased', attempts: 1 }]);
    await tables.query(`update parcels set leased_until = now() - interval '1 second'`);
    await one.queue.lease.freeAbandoned();
    await expect.poll(story).toMatchObject([
      { attempt: 1, said: 'result unknown' },
      { attempt: 2, said: 'done' },
    ]);
  });

  it('lasts as long as its work', async () => {
    let finish: ((said: string) => void) | undefined;
    const own = await courier(() => new Promise((resolve) => (finish = resolve)), { leaseSeconds: 3 });
    await own.add(parcel());
    await expect.poll(() => own.begun).toHaveLength(1);
    await tables.query(`update parcels set leased_until = now() + interval '2 seconds'`);
    await expect
      .poll(
        async () => ((await parcels()) as { leased_until: Date }[])[0]!.leased_until.getTime() - Date.now(),
      )
      .toBeGreaterThan(2_200);
    finish?.('at last');
    await expect.poll(story).toMatchObject([{ attempt: 1, said: 'at last' }]);
  });
});

describe('a silent worker', () => {
  /** A row leased by a worker that is never seen again. */
  async function leaveToDead(
    silentSeconds: number,
    { leaseSeconds = 3_600, process = null as string | null, id = newId() } = {},
  ): Promise<string> {
    const dead = newId();
    await tables.query(
      `insert into workers values ($1, now() - interval '1 hour', now() - make_interval(secs => $2), $3)`,
      [dead, silentSeconds, process],
    );
    await tables.query(
      `insert into parcels (id, account_id, group_key, due_at, state, lease_owner, lease_token, leased_until, attempts)
       values ($1, $1, 'town', now(), 'leased', $2, 7, now() + make_interval(secs => $3), 1)
       on conflict (id) do update set state = 'leased', lease_owner = $2, lease_token = parcels.lease_token + 1,
         leased_until = excluded.leased_until, attempts = parcels.attempts + 1`,
      [id, dead, leaseSeconds],
    );
    return id;
  }

  const leaseOf = (onSetAside?: (ids: string[]) => void) =>
    new WorkerLease(tables, new LeasedRows(tables, PARCELS), createLogger({ logLevel: 'silent' }, 'test'), {
      leaseSeconds: 60,
      clock: new DatabaseClock(),
      inFlight: () => [],
      onFreed: () => undefined,
      onSetAside: onSetAside && (async (_, items) => onSetAside(items.map(({ id }) => id))),
    });

  it('keeps its rows until their leases expire, and not longer', async () => {
    await leaveToDead(600);
    const lease = leaseOf();
    await lease.heartbeat();
    expect(await lease.freeAbandoned()).toBe(0);
    await tables.query(`update parcels set leased_until = now() - interval '1 second'`);
    expect(await lease.freeAbandoned()).toBe(1);
    expect(await parcels()).toMatchObject([{ state: 'waiting', attempts: 1, lease_token: '8', crashes: 1 }]);
  });

  it('is looked for only when others hold rows, or a lease of the own ones ran out', async () => {
    const lease = leaseOf();
    expect(await lease.heartbeat()).toBe(false);
    const id = await leaveToDead(0);
    expect(await lease.heartbeat()).toBe(true);
    await tables.query('update parcels set lease_owner = $2 where id = $1', [id, lease.id]);
    expect(await lease.heartbeat()).toBe(false);
    await tables.query(`update parcels set leased_until = now() - interval '1 second'`);
    expect(await lease.heartbeat()).toBe(true);
  });

  it('whose process on this machine is gone loses its rows at once; one that runs does not', async () => {
    const [space, started] = [await processSpace(), await processStart(process.pid)];
    await leaveToDead(5, { process: `${space} ${process.pid} ${started}` });
    const of = await leaveToDead(5, { process: `${space} ${process.pid} another-start` });
    await leaveToDead(5, { process: `another-machine ${process.pid} another-start` });
    const lease = leaseOf();
    await lease.heartbeat();
    expect(await lease.freeAbandoned()).toBe(1);
    expect(await tables.query(`select id, crashes from parcels where state = 'waiting'`)).toEqual([
      { id: of, crashes: 1 },
    ]);
  });

  it('keeps leases that expired while the database was unavailable, until it had time to renew them', async () => {
    await leaveToDead(11, { leaseSeconds: -1 });
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const lease = leaseOf();
      await lease.heartbeat();
      vi.advanceTimersByTime(6_000);
      await lease.heartbeat();
      for (let beat = 0; beat < 2; beat++) {
        vi.advanceTimersByTime(4_000);
        await lease.heartbeat();
        expect(await lease.freeAbandoned()).toBe(0);
      }
      vi.advanceTimersByTime(4_000);
      await lease.heartbeat();
      expect(await lease.freeAbandoned()).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('whose row brings down one worker after the other is the last one: it is set aside, others continue', async () => {
    const over: string[] = [];
    const lease = leaseOf((ids) => over.push(...ids));
    await lease.heartbeat();
    const crash = async (...ids: string[]) => {
      for (const id of ids) await leaveToDead(11, { leaseSeconds: -1, id });
      await lease.freeAbandoned();
    };
    const [cause, innocent] = [newId(), newId()];
    await crash(cause, innocent);
    await crash(cause, innocent);
    // compared with each other: a time with milliseconds is rounded, and may be later than now()
    const apart = `select crashes, due_at - min(due_at) over () >= interval '1 second' as waits from parcels order by 2`;
    expect(await tables.query(apart)).toEqual([
      { crashes: 2, waits: false },
      { crashes: 2, waits: false },
    ]);
    // from the third crash on they are not in flight together
    await crash(cause, innocent);
    expect(await tables.query(apart)).toEqual([
      { crashes: 3, waits: false },
      { crashes: 3, waits: true },
    ]);
    await crash(cause);
    expect(over).toEqual([]);
    await crash(cause);
    expect(over).toEqual([cause]);
    expect(await parcels()).toMatchObject([{ id: innocent, state: 'waiting' }]);
  });

  it('of a stop that ended in order is no crash', async () => {
    const id = await leaveToDead(0, { leaseSeconds: 60 });
    await tables.query('delete from workers');
    await leaseOf().freeAbandoned();
    expect(await parcels()).toMatchObject([{ id, state: 'waiting', crashes: 0 }]);
  });

  it('is forgotten when it is long dead and holds nothing', async () => {
    const [dead, silent] = [newId(), newId()];
    await tables.query(
      `insert into workers values ($1, now(), now() - interval '61 minutes'), ($2, now(), now() - interval '59 minutes')`,
      [dead, silent],
    );
    await leaveToDead(3_660);
    await new LeasedRows(tables, PARCELS).forgetWorkers();
    const left: { id: string }[] = await tables.query('select id from workers');
    expect(left).toHaveLength(2);
    expect(left.map(({ id }) => id)).not.toContain(dead);
    expect(left.map(({ id }) => id)).toContain(silent);
  });
});

describe('a stop', () => {
  it('lets attempts in flight end, gives back the rest, and loses nothing', async () => {
    const own = await courier(() => new Promise((resolve) => setTimeout(() => resolve('done'), 300)), {
      concurrency: 10,
    });
    const rows = many(50);
    await addWaiting(own, rows);
    await expect.poll(() => own.begun.length).toBeGreaterThan(0);
    await own.stop();
    const left = (await parcels()) as { id: string; state: string; attempts: number }[];
    expect(left.every(({ state, attempts }) => state !== 'leased' && attempts === 0)).toBe(true);
    expect((await story()).length + left.length).toBe(50);
    expect(await tables.query('select from workers')).toEqual([]);
    await courier();
    await expect.poll(story).toHaveLength(50);
    expect(new Set((await story()).map(({ id }) => id)).size).toBe(50);
  });

  it('is bounded; attempts that do not end are found by their missing worker', async () => {
    const own = await courier(never, { graceMs: 200 });
    await own.add(...many(3));
    await expect.poll(() => own.begun).toHaveLength(3);
    await own.stop();
    expect(await parcels()).toMatchObject([1, 2, 3].map(() => ({ state: 'leased' })));
    await courier();
    await expect.poll(story).toHaveLength(6);
    expect((await story()).filter(({ said }) => said === 'result unknown')).toHaveLength(3);
  });
});

describe('one customer or host', () => {
  const victim = newId();
  const flood = newId();

  /** The positions of the victim's rows in the list of begun rows. */
  async function placesOf(own: Courier, ids: readonly string[]): Promise<number[]> {
    await expect.poll(() => ids.every((id) => own.begun.includes(id))).toBe(true);
    return ids.map((id) => own.begun.indexOf(id));
  }

  it.each([
    ['an account that floods one place', (nth: number) => ({ accountId: flood, key: 'town', nth })],
    ['an account that floods many places', (nth: number) => ({ accountId: flood, key: `p${nth % 300}` })],
    ['a place that never answers', () => ({ key: 'slow' })],
  ])('%s delays no other customer: the others begin as soon as without it', async (_, of) => {
    const isFlood = (item: Parcel) => item.accountId === flood || item.key === 'slow';
    const own = await courier((item) => (isFlood(item) ? never() : done()), {
      ...{ concurrency: 20, graceMs: 100 },
    });
    const quiet = many(5, () => ({ accountId: victim, key: 'town' }));
    await addWaiting(own, quiet);
    const baseline = await placesOf(
      own,
      quiet.map(({ id }) => id),
    );
    expect(Math.max(...baseline)).toBe(4);

    await addWaiting(own, many(600, of));
    await expect.poll(() => own.begun.length).toBeGreaterThan(5 + 5);
    const loud = many(5, () => ({ accountId: victim, key: 'town' }));
    await addWaiting(own, loud);
    // at most as many rows of the flood as a worker has permits began before them
    const places = await placesOf(
      own,
      loud.map(({ id }) => id),
    );
    expect(Math.max(...places)).toBeLessThan(5 + 20 + 5);
    expect(own.queue.size).toBeLessThan(20);
  });
});
