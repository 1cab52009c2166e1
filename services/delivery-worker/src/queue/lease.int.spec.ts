import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { processSpace } from '@postmesh/concurrency';
import { newId } from '@postmesh/contracts';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { testDatabase } from '@postmesh/testing';
import { unsent } from '../record/attempt-record.rules.js';
import { freshWorlds } from '../testing/fresh-world.js';
import { headerOf, MailHost } from '../testing/mail-host.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { DELIVERIES } from './deliveries.table.js';
import { DeliveryQueue } from './delivery-queue.js';

const world = freshWorlds();
const database = testDatabase();
/** one that most tests share */
let worker: WorkerUnderTest;
let host: MailHost;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({ databaseUrl: database.url, port: host.port });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await worker.database.query('delete from deliveries');
  await worker.database.query('delete from workers where id <> $1', [queueOf(worker).lease.id]);
  worker.published.length = 0;
  host.messages.length = 0;
});

const later = new Date(Date.now() + 3_600_000);

/** A process of this machine that has ended: its number belongs to another one now. */
const deadProcess = async () => `${await processSpace()} ${process.pid} an-earlier-start`;

interface Left {
  silent: number;
  lease: number;
  isHere?: boolean;
  crashes?: number;
  attempts?: number;
}

/** A message leased by a worker that is never seen again. */
async function leaveToDead(
  worker: WorkerUnderTest,
  { silent, lease, isHere = false, crashes = 0, attempts = 1 }: Left,
) {
  const event = await worker.message({ firstAttempt: later });
  await worker.bus.publish([event]);
  await expect.poll(() => worker.deliveries()).toHaveLength(1);
  const dead = newId();
  await worker.database.query(
    `insert into workers values ($1, now() - interval '1 hour', now() - make_interval(secs => $2), $3)`,
    [dead, silent, isHere ? await deadProcess() : null],
  );
  await worker.database.query(
    `update deliveries set state = 'leased', lease_owner = $1, lease_token = 7, attempts = $3, crashes = $4,
       first_attempt_at = now(), due_at = now(), leased_until = now() + make_interval(secs => $2)`,
    [dead, lease, attempts, crashes],
  );
  return { id: event.data.send_request_id, dead };
}

const queueOf = (worker: WorkerUnderTest) => worker.service.get(DeliveryQueue).queue;
const freeNow = (worker: WorkerUnderTest): Promise<number> => queueOf(worker).lease.freeAbandoned();
const uncertainAfterDeaths = async (): Promise<number> => {
  const text = await worker.service.get(Metrics).render();
  return Number(
    /postmesh_delivery_uncertain_total\{[^}]*cause="worker died"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0,
  );
};
const publishedOf = (worker: WorkerUnderTest, id: string) =>
  worker.published.filter(({ message_id }) => message_id === id);

describe('a row of a dead worker', () => {
  it.each([
    ['died', { silent: 5, lease: 900, isHere: true }],
    ['lost its lease', { silent: 0, lease: -1 }],
  ])(
    'when it %s goes out again under the same Message-ID; its attempt is published as an uncertain one',
    async (_, left) => {
      const warn = vi.spyOn(worker.service.get<Logger>(LOGGER), 'warn');
      const before = await uncertainAfterDeaths();
      const { id } = await leaveToDead(worker, left);
      await freeNow(worker);
      const published = await worker.outcome(id, 'delivered');
      expect(published).toMatchObject({ attempt: 2 });
      const lines = warn.mock.calls
        .map(([line]) => line as { event?: string })
        .filter(({ event }) => event === 'delivery.abandoned');
      expect(lines).toMatchObject([{ message_id: id, attempt: 1, uncertain: true }]);
      expect(headerOf(host.messages[0]!, 'Message-ID')).toBe(`<${id}@shop.test>`);
      const next_attempt_at = expect.any(String);
      expect(publishedOf(worker, id)).toMatchObject([
        { attempt: 1, outcome: 'deferred', uncertain: true, next_attempt_at },
        { attempt: 2, outcome: 'delivered', uncertain: false },
      ]);
      expect(await uncertainAfterDeaths()).toBe(before + 1);
    },
  );

  it('is found within seconds', async () => {
    const { start } = await world();
    // a heartbeat every second
    const worker = await start({ settings: { deliveryLeaseSeconds: 6 } });
    const { id } = await leaveToDead(worker, { silent: 11, lease: -1 });
    expect(await worker.outcome(id, 'delivered')).toMatchObject({ attempt: 2 });
  });

  it('is not freed while the worker lives and its lease lasts, even after ten seconds without the database', async () => {
    await leaveToDead(worker, { silent: 30, lease: 900 });
    expect(await freeNow(worker)).toBe(0);
    expect(await worker.deliveries()).toMatchObject([{ state: 'leased' }]);
    expect(host.messages).toEqual([]);
  });
});

describe('a message that brings down one worker after the other', () => {
  it('is set aside after the fifth, with its reason, and others continue', async () => {
    const { id } = await leaveToDead(worker, { silent: 30, lease: -1, crashes: 4, attempts: 5 });
    await freeNow(worker);
    const published = await worker.outcome(id, 'failed');
    expect(published).toMatchObject({
      attempt: 5,
      classification: 'Uncategorized',
      uncertain: true,
      next_attempt_at: null,
      reply: { response: expect.stringMatching(/^set aside: 5 workers/) },
    });
    expect(await worker.deliveries()).toEqual([]);
    const [other] = await worker.accept();
    await worker.outcome(other!, 'delivered');
    expect(host.messages).toHaveLength(1);
    expect(await worker.service.get(Metrics).render()).toMatch(
      /postmesh_delivery_set_aside_total(\{[^}]*\})? 1/,
    );
  });
});

describe('a worker that was overtaken', () => {
  it('writes nothing when its answer comes, though it comes from a server', async () => {
    const { host, start } = await world();
    const [slow, other] = [await start(), await start()];
    let reply: (() => void) | undefined;
    host.manners = {
      accept: () =>
        host.messages.length > 1
          ? undefined
          : new Promise((resolve) => (reply = () => resolve('250 2.0.0 the first one'))),
    };
    const [id] = await slow.accept();
    await host.waitFor(1);
    const [delivery] = await slow.deliveries();
    const isSlow = queueOf(slow).lease.id === delivery?.lease_owner;
    const [overtaken, overtaker] = isSlow ? [slow, other] : [other, slow];
    await overtaker.database.query(`update deliveries set leased_until = now() - interval '1 second'`);
    await freeNow(overtaker);
    await host.waitFor(2);
    await overtaker.outcome(id!, 'delivered');
    reply?.();
    await overtaken.stop();
    await overtaker.until(() => publishedOf(overtaker, id!).length >= 2);
    expect(publishedOf(overtaker, id!)).toMatchObject([
      { attempt: 1, outcome: 'deferred', uncertain: true },
      { attempt: 2, outcome: 'delivered', reply: { response: 'queued as 7F1' } },
    ]);
    expect(await overtaker.deliveries()).toEqual([]);
  });

  it.each([
    ['ended', null],
    ['put off', new Date(Date.now() + 1_000)],
  ])('cannot write what it %s', async (_, nextAttemptAt) => {
    const event = await worker.message({ firstAttempt: later });
    await worker.bus.publish([event]);
    await expect.poll(() => worker.deliveries()).toHaveLength(1);
    const { lease } = queueOf(worker);
    const [claimed] = await worker.database.query(
      `with claimed as (
         update deliveries set state = 'leased', lease_owner = $1, lease_token = 4, attempts = 1,
           first_attempt_at = now(), leased_until = now() + interval '15 minutes'
         returning *, destination as key, lease_token::text)
       select * from claimed`,
      [lease.id],
    );
    const delivery = DELIVERIES.toItem({ ...claimed, lease_token: '4' });
    await worker.database.query('update deliveries set lease_token = lease_token + 1');
    const outcome = nextAttemptAt === null ? 'delivered' : 'deferred';
    const ended = { outcome, nextAttemptAt, classification: null } as const;
    const record = (leaseToken: string) =>
      queueOf(worker).record({
        record: unsent({ ...delivery, leaseToken }, ended),
        begunAt: new Date(),
      });
    expect(await record('4')).toBe(false);
    expect(await worker.deliveries()).toMatchObject([{ state: 'leased', lease_owner: lease.id }]);
    // the outcome of the case before may still be on its way
    const about = event.data.send_request_id;
    expect(publishedOf(worker, about)).toEqual([]);
    expect(await record('5')).toBe(true);
  });
});
