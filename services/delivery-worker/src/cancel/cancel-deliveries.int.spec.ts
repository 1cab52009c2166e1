import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AccountChanged } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { SuspendDeliveries } from '../account-changes/suspend-deliveries.js';
import { MailHost } from '../testing/mail-host.js';
import { ACCOUNT, startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { ForgetCanceled } from './forget-canceled.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({ databaseUrl: database.url, port: host.port });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});
afterEach(async () => {
  host.manners = {};
  host.messages.length = 0;
  await query('delete from deliveries');
});

type Event = Awaited<ReturnType<WorkerUnderTest['message']>>;

const query = (sql: string, parameters: unknown[] = []) => worker.database.query(sql, parameters);
const later = () => new Date(Date.now() + 3_600_000);
const take = (...events: Event[]) => deliver(worker.service, events);
const idsOf = ({ data }: Event) => data.recipients.map(({ id }) => id);

async function cancelIds(ids: readonly string[], { data, account_id }: Event): Promise<string[]> {
  const { send_request_id, accepted_at } = data;
  const deliveries = ids.map((id) => ({ id, account_id, send_request_id, accepted_at }));
  const path = '/internal/deliveries/cancel';
  const { status, body } = await worker.internal('POST', path, { deliveries });
  expect(status).toBe(200);
  return (body.canceled as string[]).sort();
}
const cancel = (event: Event) => cancelIds(idsOf(event), event);
const states = async () => (await worker.deliveries()).map(({ state }) => state);

/** Resolves when the queue has nothing to do any more, whatever it might have done. */
async function nothingComes(event: Event): Promise<void> {
  await worker.makeDue();
  const next = await worker.message({ to: ['next@mail.test'] });
  await take(next);
  await worker.outcome(next.data.send_request_id, 'delivered');
  expect(host.recipients).toEqual(['next@mail.test']);
  expect(worker.published.filter(({ message_id }) => idsOf(event).includes(message_id))).toEqual([]);
}

describe('a cancel (spec 2-messages §2.3 rule 4)', () => {
  it('of a delivery that waits for its time: it is never tried, nothing is published, and a repeated cancel has the same result', async () => {
    const event = await worker.message({ to: ['a@one.test', 'b@two.test'], firstAttempt: later() });
    await take(event);
    expect(await cancel(event)).toEqual(idsOf(event));
    expect(await states()).toEqual(['canceled', 'canceled']);
    expect(await cancel(event)).toEqual(idsOf(event));
    await query(`update deliveries set due_at = now() - interval '1 minute'`);
    await nothingComes(event);
  });

  it('of a suspended delivery works as well, and resuming the account changes nothing', async () => {
    const account_id = newId();
    const event = await worker.message({ accountId: account_id, firstAttempt: later() });
    await take(event);
    let revision = 0;
    const change = async (state: 'suspended' | 'active') => {
      const facts = { account_id, parent_account_id: null, state, revision: ++revision };
      await deliver(worker.service, [AccountChanged.make(facts, { account_id })]);
      await worker.service.get(SuspendDeliveries).settled();
      await worker.service.get(SuspendDeliveries).follow(new AbortController().signal);
    };
    await change('suspended');
    expect(await states()).toEqual(['suspended']);
    expect(await cancel(event)).toEqual(idsOf(event));
    await change('active');
    expect(await states()).toEqual(['canceled']);
  });

  it('comes too late for deliveries in flight, tried or ended ones', async () => {
    host.manners = { accept: () => '451 later' };
    const tried = await worker.message({ to: ['tried@mail.test'] });
    await take(tried);
    await worker.outcome(tried.data.send_request_id, 'deferred');
    let answer: (text: string) => void = () => undefined;
    host.manners = { accept: () => new Promise<string>((resolve) => (answer = resolve)) };
    const flying = await worker.message({ to: ['flying@mail.test'] });
    await take(flying);
    await host.waitFor(2);
    expect(await cancel(tried)).toEqual([]);
    expect(await cancel(flying)).toEqual([]);
    answer('250 ok');
    await worker.outcome(flying.data.send_request_id, 'delivered');
    await expect.poll(() => worker.deliveries()).toHaveLength(1);
    expect(await cancel(flying)).toEqual([]);
    expect(await worker.deliveries()).toHaveLength(1);
  });

  it('of a message that was not ingested yet: its later event makes no delivery of it, but of the others', async () => {
    const event = await worker.message({ to: ['gone@mail.test', 'stays@mail.test'] });
    const [gone, stays] = idsOf(event);
    expect(await cancelIds([gone!], event)).toEqual([gone]);
    expect(await cancelIds([gone!], event)).toEqual([gone]);
    await take(event);
    await worker.outcome(stays!, 'delivered');
    expect(host.recipients).toEqual(['stays@mail.test']);
    expect(await states()).toEqual(['canceled']);
  });

  it('of an unknown one that is days old is none: it is unknown whether it was ingested', async () => {
    const event = await worker.message();
    event.data.accepted_at = new Date(Date.now() - 3 * 86_400_000).toISOString();
    expect(await cancel(event)).toEqual([]);
    expect(await worker.deliveries()).toEqual([]);
  });

  it('waits for an intake that is being committed', async () => {
    const event = await worker.message({ to: ['a@one.test', 'b@two.test'] });
    const [first, second] = idsOf(event);
    const runner = worker.database.createQueryRunner();
    await runner.connect();
    await runner.startTransaction();
    await runner.query(
      `insert into deliveries (id, account_id, send_request_id, recipient, destination, state, due_at, attempts, reason, facts)
       values ($1, $2, $3, 'a@one.test', 'one.test', 'leased', now(), 1, '', '{}')`,
      [first, ACCOUNT, event.data.send_request_id],
    );
    const canceling = cancel(event);
    const waiting = `select 1 from pg_locks where not granted
      and pid in (select pid from pg_stat_activity where datname = current_database())`;
    await expect.poll(() => query(waiting)).toHaveLength(1);
    await runner.query('insert into intakes (send_request_ids) values ($1)', [[event.data.send_request_id]]);
    await runner.commitTransaction();
    await runner.release();
    // the second was left out by the intake: a missing row has ended, or never existed
    expect(await canceling).toEqual([]);
    expect((await worker.deliveries()).map(({ id }) => id)).toEqual([first]);
    expect(second).toBeDefined();
  });

  it('against many pick-ups: each message is either canceled or delivered, and none is both or neither', async () => {
    host.manners = {};
    const events = await Promise.all(
      Array.from({ length: 40 }, (_, nth) =>
        worker.message({ to: Array.from({ length: 5 }, (_one, at) => `u${nth}-${at}@d${at}.test`) }),
      ),
    );
    const canceled: string[] = [];
    const cancelEach = async (event: Event) => {
      for (const id of idsOf(event)) canceled.push(...(await cancelIds([id], event)));
    };
    await Promise.all([
      ...events.map((event) => worker.bus.publish([event])),
      ...events.map((event) => cancelEach(event)),
    ]);
    const wanted = events.flatMap(({ data }) => data.recipients);
    const delivered = wanted.filter(({ id }) => !canceled.includes(id));
    await Promise.all(delivered.map(({ id }) => worker.outcome(id, 'delivered')));
    expect([...host.recipients].sort()).toEqual(delivered.map(({ email }) => email).sort());
    expect(canceled.length).toBeGreaterThan(0);
    expect(new Set(canceled).size).toBe(canceled.length);
    expect(await states()).toEqual(canceled.map(() => 'canceled'));
  });
});

it('canceled deliveries are removed in the end', async () => {
  const event = await worker.message({ firstAttempt: later() });
  await take(event);
  await cancel(event);
  const forget = () => worker.service.get(ForgetCanceled).forget(new AbortController().signal);
  await forget();
  expect(await states()).toEqual(['canceled']);
  await query(`update deliveries set due_at = now() - interval '1 second'`);
  await query(`update intakes set taken_at = now() - interval '4 days'`);
  await forget();
  expect(await worker.deliveries()).toEqual([]);
  expect(await query('select 1 from intakes')).toEqual([]);
});

it('the queue does not show canceled deliveries', async () => {
  const event = await worker.message({ firstAttempt: later() });
  await take(event);
  await cancel(event);
  const { body } = await worker.internal('GET', '/operator/queue');
  expect(body).toMatchObject({ deliveries: 0, waiting: [], destinations: [] });
});
