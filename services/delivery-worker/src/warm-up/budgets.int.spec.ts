import { describe, expect, it } from 'vitest';
import { DatabaseClock } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { SuppressionsChanged } from '@postmesh/messages-contract';
import { newId } from '@postmesh/contracts';
import { sharedWorld } from '../testing/fresh-world.js';
import { MailHost } from '../testing/mail-host.js';
import type { WorkerUnderTest } from '../testing/worker-under-test.js';
import { BudgetRows } from './budget-rows.js';
import { Budgets } from './budgets.js';
import { HeldMail } from '../account-waits/held-mail.js';

const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

const shared = sharedWorld(({ start }) => start());

const put = async (worker: WorkerUnderTest, path: string, given: object) =>
  expect(await worker.internal('PUT', `/operator/egress/${path}`, given)).toMatchObject({ status: 200 });

/** A new address in a pool of its own. */
async function newSource(id: string, address: string, pool: object = {}): Promise<WorkerUnderTest> {
  const { worker } = shared;
  await put(worker, `pools/${id}`, pool);
  await put(worker, `sources/${id}`, { address, ehlo: `${id}.service.test`, pool: id, warm_up: true });
  return worker;
}

/** The budgets of one more worker. */
const budgetsOf = (worker: WorkerUnderTest): Budgets =>
  new Budgets(
    worker.service.get(BudgetRows),
    worker.service.get(DatabaseClock),
    worker.service.get<Logger>(LOGGER),
  );

function watch(host: MailHost): string[] {
  const seen: string[] = [];
  host.manners = {
    accept: (_message, peer) => {
      seen.push(String(peer.socket.remoteAddress));
      return undefined;
    },
  };
  return seen;
}

describe('the budget of a new address', () => {
  it('is given out exactly by all workers together, to single messages first, and taken back', async () => {
    const worker = await newSource('exact', '127.0.0.11');
    const [one, other] = [budgetsOf(worker), budgetsOf(worker)];
    const asked = Array.from({ length: 40 }, (_, nth) =>
      (nth % 2 === 0 ? one : other).take('exact', 'p:google', nth >= 20),
    );
    const places = await Promise.all(asked);
    const given = places.filter(({ kind }) => kind === 'place');
    // an hour of the first day
    expect(given).toHaveLength(13);
    const first = given[0];
    if (first?.kind !== 'place') throw new Error('no place');
    const full = places.find(({ kind }) => kind === 'full');
    expect(full).toMatchObject({
      reason: expect.stringContaining('the warm-up budget of exact with Google'),
    });
    await one.giveBack(first);
    expect((await other.take('exact', 'p:google', false)).kind).toBe('place');
    expect((await one.take('exact', 'p:google', false)).kind).toBe('full');
    // another provider has a budget of its own
    expect((await one.take('exact', 'p:yahoo', false)).kind).toBe('place');
  });

  it('keeps a part of it for single messages', async () => {
    const worker = await newSource('kept', '127.0.0.12');
    await worker.service.get(BudgetRows).read({ source: 'kept', provider: 'p:google' });
    // the hour has used what bulk may have at its beginning at most
    await worker.database.query(`update egress_budgets set day_used = 100 where source = 'kept'`);
    const budgets = budgetsOf(worker);
    expect((await budgets.take('kept', 'p:google', true)).kind).toBe('full');
    await worker.database.query(`update egress_budgets set day_used = 99 where source = 'kept'`);
    expect((await budgets.take('kept', 'p:google', false)).kind).toBe('place');
  });

  it('grows on the day after one with good results, and shrinks after complaints', async () => {
    const worker = await newSource('grows', '127.0.0.13');
    const rows = worker.service.get(BudgetRows);
    const key = { source: 'grows', provider: 'p:google' };
    await rows.read(key);
    const yesterday = (set: string) =>
      worker.database.query(
        `update egress_budgets set stage_day = stage_day - 1, day = day - 1, day_used = 90, delivered = 90, ${set}
         where source = 'grows'`,
      );
    await yesterday('deferred = 0');
    await budgetsOf(worker).take('grows', 'p:google', false);
    expect(await rows.read(key)).toMatchObject({ stage: 1, delivered: 0, dayUsedToday: 1 });
    await worker.database.query(
      `insert into mx_domains (domain, group_key, looked_at, expires_at)
       values ('gmail.test', 'p:google', now(), now() + interval '1 day')`,
    );
    await worker.bus.publish([complaints(['ann@gmail.test', 'bob@gmail.test'])]);
    await expect.poll(() => rows.read(key)).toMatchObject({ complaints: 2 });
    await yesterday('deferred = 0');
    await budgetsOf(worker).take('grows', 'p:google', false);
    expect(await rows.read(key)).toMatchObject({ stage: 0, complaints: 0 });
  });
});

describe('mail beyond the budget', () => {
  it.each([
    ['waits, with the reason and the time', 'waits', '127.0.0.14', { over_budget: 'wait' }],
    ['waits where the pool has no other way', 'alone', '127.0.0.15', { over_budget: 'move' }],
  ])('%s', async (_, id, address, pool) => {
    const { host } = shared;
    const worker = await newSource(id, address, pool);
    const account = newId();
    await put(worker, `rules/${id}`, { pool: id, account_id: account });
    const seen = watch(host);
    const to = Array.from({ length: 20 }, (_, nth) => `n${nth}@${id}.test`);
    await worker.accept({ accountId: account, to });
    const rows = () =>
      worker.database.query(`select reason, due_at > now() as later from deliveries where account_id = $1`, [
        account,
      ]);
    await expect.poll(rows).toHaveLength(7);
    await expect.poll(async () => (await rows()).every((row: { later: boolean }) => row.later)).toBe(true);
    const [row] = await rows();
    expect(row.reason).toContain(
      `the warm-up budget of ${id} with the mail host is used up (100 a day and 13 an hour`,
    );
    expect(seen).toEqual(Array.from({ length: 13 }, () => address));
    const [{ id: one }] = await worker.database.query('select id from deliveries where account_id = $1', [
      account,
    ]);
    const shown = await worker.internal('GET', `/operator/deliveries/${one}`);
    expect(shown.body).toMatchObject({ cause: 'warm_up', waiting_for: row.reason });
    const { body } = await worker.internal('GET', `/internal/accounts/${account}/waits`);
    expect(body.waits).toMatchObject([
      { kind: 'warming', by: `${id}.test`, messages: 7, share: 1, reason: expect.not.stringContaining('13') },
    ]);
    const accounts = await worker.service.get(HeldMail).accountsAfter(NO_ACCOUNT, 10);
    expect(accounts).toContain(account);
  });

  it('leaves from another address of the pool', async () => {
    const { host } = shared;
    const worker = await newSource('spills', '127.0.0.16');
    await put(worker, 'sources/warm', { address: '127.0.0.17', ehlo: 'warm.service.test', pool: 'spills' });
    const account = newId();
    await put(worker, 'rules/spills', { pool: 'spills', account_id: account });
    const seen = watch(host);
    // each domain prefers one of both for a group: forty groups of one host each have budgets of their own
    const to = Array.from({ length: 20 }, (_, nth) => `n${nth}@spills.test`);
    for (const domain of ['one.test', 'two.test', 'three.test', 'four.test', 'five.test'])
      await worker.accept({ accountId: account, to: to.map((one) => one.replace('spills.test', domain)) });
    await expect.poll(() => seen).toHaveLength(100);
    expect(new Set(seen)).toEqual(new Set(['127.0.0.16', '127.0.0.17']));
    const [{ used }] = await worker.database.query(
      `select max(hour_used) as used from egress_budgets where source = 'spills'`,
    );
    expect(used).toBeLessThanOrEqual(13);
  });

  it('leaves by the relay of its pool, except a message that may have arrived', async () => {
    const { host } = shared;
    const relay = await MailHost.start();
    shared.fresh.closing.push(() => relay.stop());
    const worker = await newSource('relayed', '127.0.0.18');
    const access = { host: '127.0.0.1', port: relay.port, tls: 'opportunistic', allow_plaintext: true };
    await put(worker, 'relays/relayed', { ...access, pool: 'relayed' });
    const account = newId();
    await put(worker, 'rules/relayed', { pool: 'relayed', account_id: account });
    host.manners = { accept: (_message, peer) => void peer.drop() };
    const [cut] = await worker.accept({ accountId: account, to: ['cut@relayed.test'] });
    expect(await worker.outcome(cut!, 'deferred')).toMatchObject({ uncertain: true, source: 'relayed' });
    const seen = watch(host);
    const to = Array.from({ length: 20 }, (_, nth) => `n${nth}@relayed.test`);
    const ids = await worker.accept({ accountId: account, to });
    const ways = await Promise.all(ids.map(async (id) => (await worker.outcome(id, 'delivered')).source));
    // the message that was cut has used a place of the hour
    expect(ways.filter((way) => way === 'relayed')).toHaveLength(12);
    expect(ways.filter((way) => way === 'relay:relayed')).toHaveLength(8);
    expect([seen.length, relay.messages.length]).toEqual([12, 8]);
    const ofCut = () =>
      worker.database.query('select source, pinned, reason from deliveries where id = $1', [cut]);
    await worker.makeDue();
    const reason = expect.stringContaining('the warm-up budget of relayed');
    await expect.poll(ofCut).toMatchObject([{ source: 'relayed', pinned: true, reason }]);
    await worker.database.query(`update egress_budgets set hour_used = 0 where source = 'relayed'`);
    await worker.makeDue();
    expect(await worker.outcome(cut!, 'delivered')).toMatchObject({ source: 'relayed' });
    expect(relay.recipients).not.toContain('cut@relayed.test');
  });
});

const complaints = (recipients: readonly string[]) => {
  const account = newId();
  return SuppressionsChanged.make(
    {
      account_id: account,
      changes: recipients.map((recipient, revision) => ({
        ...{ suppression_id: newId(), domain: 'shop.test', recipient, kind: 'created', protected: true },
        ...{ reason: 'FBL Complaint Report', source: 'recipient', revision },
        created_at: '2026-01-05T08:00:03.000Z',
        expires_at: '9999-12-31T23:59:59Z',
      })),
    },
    { account_id: account },
  );
};
