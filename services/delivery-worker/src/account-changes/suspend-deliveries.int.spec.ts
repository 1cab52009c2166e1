import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AccountChanged } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { rowsRead, testDatabase } from '@postmesh/testing';
import { MailHost } from '../testing/mail-host.js';
import { startWorker, type MessageWanted, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { SuspendDeliveries } from './suspend-deliveries.js';

type State = (typeof AccountChanged.examples)[number]['state'];

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;
let account: string;
let revision = 0;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({
    databaseUrl: database.url,
    port: host.port,
  });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});
beforeEach(() => {
  account = newId();
});
afterEach(async () => {
  host.manners = {};
  host.messages.length = 0;
  await query('delete from deliveries');
});

const query = (sql: string, parameters: unknown[] = []) => worker.database.query(sql, parameters);
const changed = (state: State, account_id = account, at = ++revision) =>
  AccountChanged.make({ account_id, parent_account_id: null, state, revision: at }, { account_id });
const follow = () => worker.service.get(SuspendDeliveries).follow(new AbortController().signal);
/** consumes a change, and lets the queue follow */
async function change(state: State, account_id = account): Promise<void> {
  await deliver(worker.service, [changed(state, account_id)]);
  // two that follow at once leave each other's rows alone
  await worker.service.get(SuspendDeliveries).settled();
  await follow();
}
const accept = (wanted: MessageWanted = {}) => worker.accept({ accountId: account, ...wanted });
const later = () => new Date(Date.now() + 3_600_000);
const waitForRows = (count: number) => expect.poll(() => worker.deliveries()).toHaveLength(count);
const states = async () => (await worker.deliveries()).map(({ state, reason }) => [state, reason]);
const counts = (): Promise<{ state: string; count: number }[]> =>
  query('select state, count(*)::int as count from deliveries group by state order by state');
const publishedOf = (id: string) => worker.published.filter((one) => one.message_id === id);

describe('the queue of an account that may not send', () => {
  it.each([
    ['suspended', 'the account is suspended'],
    ['parent-suspended', 'the parent account is suspended'],
    ['blocked', 'the account is blocked by the operator'],
  ] as const)(
    'is suspended when it is %s, whatever came before and whatever comes',
    async (state, reason) => {
      await accept({ firstAttempt: later() });
      await waitForRows(1);
      await worker.bus.publish([changed(state)]);
      await expect.poll(states).toEqual([['suspended', reason]]);
      await accept();
      await waitForRows(2);
      expect(await states()).toEqual([
        ['suspended', reason],
        ['suspended', reason],
      ]);
      expect(host.messages).toEqual([]);
    },
  );

  it('does not go out while the messages of others do, and goes out once it may', async () => {
    await change('suspended');
    const [held] = await accept({ to: ['held@mail.test'] });
    await waitForRows(1);
    const [other] = await worker.accept({ to: ['other@mail.test'] });
    await worker.outcome(other!, 'delivered');
    expect(host.recipients).toEqual(['other@mail.test']);
    expect(publishedOf(held!)).toEqual([]);
    await change('active');
    expect(await worker.outcome(held!, 'delivered')).toMatchObject({ attempt: 1 });
    expect(host.recipients).toEqual(['other@mail.test', 'held@mail.test']);
  });

  it('keeps its times: a later scheduled delivery is not sent when the account may send again', async () => {
    const firstAttempt = later();
    await accept({ firstAttempt });
    await waitForRows(1);
    await change('suspended');
    await change('active');
    const [row] = await worker.deliveries();
    expect(row).toMatchObject({
      state: 'waiting',
      due_at: firstAttempt,
      attempts: 0,
      first_attempt_at: null,
      suspended_until: null,
      reason: 'its account may send again',
    });
  });

  it('keeps its attempts: a message that was deferred before continues where it was', async () => {
    host.manners = { accept: () => '451 4.3.0 later' };
    const [id] = await accept();
    await worker.outcome(id!, 'deferred');
    await change('suspended');
    await expect.poll(states).toEqual([['suspended', 'the account is suspended']]);
    host.manners = {};
    await change('active');
    await worker.makeDue();
    expect(await worker.outcome(id!, 'delivered')).toMatchObject({ attempt: 2 });
  });

  it('is checked again when an attempt is about to begin', async () => {
    await query(
      `insert into account_states (account_id, state, revision, applied_revision) values ($1, 'suspended', 1, 1)`,
      [account],
    );
    const event = await worker.message({ accountId: account, firstAttempt: later() });
    await deliver(worker.service, [event]);
    // the state when intake and suspension run at the same time
    await query(`update deliveries set state = 'waiting', suspended_until = null`);
    await worker.makeDue();
    await expect.poll(states).toEqual([['suspended', 'the account is suspended']]);
    const [row] = await worker.deliveries();
    expect(row).toMatchObject({ attempts: 0, first_attempt_at: null, lease_owner: null });
    expect(row!.suspended_until!.getTime() - Date.now()).toBeGreaterThan(86_000_000);
    expect(host.messages).toEqual([]);
    expect(publishedOf(event.data.send_request_id)).toEqual([]);
  });

  it('is found when it was suspended in the moment in which its account was resumed', async () => {
    const [id] = await accept({ firstAttempt: later() });
    await waitForRows(1);
    await query(
      `update deliveries set state = 'suspended', due_at = now(), suspended_until = now() + interval '1 day'`,
    );
    await follow();
    await worker.outcome(id!, 'delivered');
  });
});

describe('a suspended delivery whose time is over', () => {
  it('fails when it expires, without an attempt', async () => {
    await change('suspended');
    const [id] = await accept({ expires: new Date(Date.now() + 400) });
    await expect.poll(() => publishedOf(id!).length || follow()).toBe(1);
    expect(publishedOf(id!)).toMatchObject([{ outcome: 'failed', attempt: 0, started_at: null }]);
    expect(host.messages).toEqual([]);
    expect(await worker.deliveries()).toEqual([]);
  });

  it.each([
    ['was never tried', 0, null],
    ['was tried before', 2, `now() - interval '25 hours'`],
  ])('fails after a day, one that %s', async (_, attempt, firstAttemptAt) => {
    await change('suspended');
    const [id] = await accept();
    await waitForRows(1);
    await query(
      `update deliveries set attempts = $1, first_attempt_at = ${firstAttemptAt ?? 'null'},
         due_at = now() - interval '25 hours', suspended_until = now() - interval '1 hour'`,
      [attempt],
    );
    await follow();
    expect(await worker.outcome(id!, 'failed')).toMatchObject({ attempt, reply: null });
    expect(host.messages).toEqual([]);
  });
});

describe('the queue of a deleted account', () => {
  it('is removed, suspended or not, without a word; that of others stays', async () => {
    const mine = [
      ...(await accept({ firstAttempt: later() })),
      ...(await accept({ to: ['x@a.test', 'y@b.test'], firstAttempt: later() })),
    ];
    await worker.accept({ firstAttempt: later() });
    await waitForRows(4);
    await query(`update deliveries set state = 'suspended', suspended_until = now() where id = $1`, [
      mine[0],
    ]);
    await change('deleted');
    const rows = await worker.deliveries();
    expect(rows.map(({ id }) => id).filter((id) => mine.includes(id))).toEqual([]);
    expect(rows).toHaveLength(1);
    expect(worker.published.filter(({ message_id }) => mine.includes(message_id))).toEqual([]);
  });

  it('takes nothing in any more, and begins no attempt', async () => {
    const [slipped] = await accept({ firstAttempt: later() });
    await waitForRows(1);
    await query(
      `insert into account_states (account_id, state, revision, applied_revision) values ($1, 'deleted', 1, 1)`,
      [account],
    );
    const event = await worker.message({ accountId: account });
    await deliver(worker.service, [event]);
    await worker.makeDue();
    await expect.poll(() => worker.deliveries()).toEqual([]);
    expect(host.messages).toEqual([]);
    expect(publishedOf(slipped!)).toEqual([]);
  });
});

describe('account states', () => {
  const known = () =>
    query('select state, revision::int as revision from account_states where account_id = $1', [account]);

  it('change nothing when they come twice or after something newer', async () => {
    await accept({ firstAttempt: later() });
    await waitForRows(1);
    const consume = (...events: ReturnType<typeof changed>[]) => deliver(worker.service, events);
    const [first, second] = [changed('suspended', account, 7), changed('active', account, 8)];
    await consume(second, first, first);
    await consume(first);
    await follow();
    expect(await known()).toEqual([{ state: 'active', revision: 8 }]);
    expect(await counts()).toEqual([{ state: 'waiting', count: 1 }]);
    await consume(changed('suspended', account, 9), second);
    await follow();
    await consume(second);
    await follow();
    expect(await counts()).toEqual([{ state: 'suspended', count: 1 }]);
  });

  it('are followed by ten thousand waiting deliveries in bounded steps, those of others among them', async () => {
    const event = await worker.message({ accountId: account, firstAttempt: later() });
    const other = await worker.message({ firstAttempt: later() });
    await deliver(worker.service, [event, other]);
    const copy = (id: string) =>
      query(
        `insert into deliveries (id, account_id, send_request_id, recipient, destination, due_at, reason, facts)
         select gen_random_uuid(), account_id, send_request_id, recipient, destination, due_at, reason, facts
         from deliveries, generate_series(1, 9999) where id = $1`,
        [id],
      );
    await copy(event.data.send_request_id);
    await copy(other.data.send_request_id);
    const steps = longestStep(worker);
    await change('suspended');
    await expect.poll(counts).toEqual([
      { state: 'suspended', count: 10_000 },
      { state: 'waiting', count: 10_000 },
    ]);
    await change('active');
    await expect.poll(counts).toEqual([{ state: 'waiting', count: 20_000 }]);
    expect(steps()).toBeLessThanOrEqual(1_000);
  });

  it('are reported to the operator with their suspended deliveries', async () => {
    await change('suspended');
    await accept({ to: ['a@one.test', 'b@two.test'] });
    await waitForRows(2);
    const { body } = await worker.internal('GET', '/operator/queue');
    expect(body).toMatchObject({ deliveries: 2, suspended: 2, due: 0, in_flight: 0 });
    expect(body.suspended_accounts).toEqual([
      {
        account_id: account,
        reason: 'the account is suspended',
        deliveries: 2,
        next_end_at: expect.any(String),
      },
    ]);
    expect(body.waiting[0]).toMatchObject({
      state: 'suspended',
      reason: 'the account is suspended',
      suspended_until: expect.any(String),
    });
  });
});

/** The most rows that one resume has changed since. */
function longestStep({ database }: WorkerUnderTest): () => number {
  let most = 0;
  const ask = database.query.bind(database);
  database.query = async (...given: Parameters<typeof ask>) => {
    const reply = await ask(...given);
    if (/recursive accounts/.test(given[0])) most = Math.max(most, Number(reply[1]));
    return reply;
  };
  return () => most;
}

it('a worker that stops while the queue follows leaves the rest to the next', async () => {
  await accept({ firstAttempt: later() });
  await waitForRows(1);
  await query(`insert into account_states (account_id, state, revision) values ($1, 'suspended', 1)`, [
    account,
  ]);
  const stopped = new AbortController();
  stopped.abort();
  await worker.service.get(SuspendDeliveries).follow(stopped.signal);
  expect(await counts()).toEqual([{ state: 'waiting', count: 1 }]);
  await follow();
  expect(await counts()).toEqual([{ state: 'suspended', count: 1 }]);
});

it('a suspension reads a batch at a time, also behind many that are suspended already', async () => {
  await query(
    `insert into deliveries (id, send_request_id, recipient, account_id, destination, due_at, state, reason, suspended_until, facts, group_key)
     select gen_random_uuid(), gen_random_uuid(), 'r@mail.test', case when nth <= 20000 then $1::uuid else $2::uuid end, 'mail.test',
       now() + interval '1 day',
       case when nth between 15001 and 17500 or nth > 20000 then 'waiting' else 'suspended' end,
       case when nth <= 15000 then 'the account is suspended' else 'another' end,
       case when nth between 15001 and 17500 or nth > 20000 then null else now() + interval '1 day' end, '{}', 'm:1'
     from generate_series(1, 40000) as nth`,
    [account, newId()],
  );
  await query('analyze deliveries');
  const statements = vi.spyOn(worker.database, 'query');
  await change('suspended');
  const mine = statements.mock.calls.filter(([sql]) =>
    /'suspended'|with reasons|with given/.test(String(sql)),
  );
  statements.mockRestore();
  const found = await query(
    'select reason, count(*)::int as count from deliveries where account_id = $1 group by reason',
    [account],
  );
  expect(found).toEqual([{ reason: 'the account is suspended', count: 20_000 }]);
  // the plans with which the next suspension begins
  await query('analyze deliveries');
  for (const [sql, parameters] of mine) {
    expect(await rowsRead(worker.database, sql, parameters), sql).toBeLessThan(10_000);
  }
});
