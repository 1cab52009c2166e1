import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { MailHost } from '../testing/mail-host.js';
import { ACCOUNT, startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({ databaseUrl: database.url, port: host.port });
});
afterAll(async () => {
  await host?.stop();
  await worker?.stop();
});

const queue = async () => {
  const { status, body } = await worker.internal('GET', '/operator/queue');
  expect(status).toBe(200);
  return body;
};

it('of nothing is empty', async () => {
  expect(await queue()).toEqual({
    deliveries: 0,
    in_flight: 0,
    due: 0,
    suspended: 0,
    next_due_at: null,
    destinations: [],
    groups: [],
    suspensions: [],
    suspended_accounts: [],
    waiting: [],
  });
});

it('shows the waiting deliveries, why and until when they wait', async () => {
  host.manners = { accept: () => '452 4.2.2 mailbox full' };
  const firstAttempt = new Date(Date.now() + 3_600_000);
  const [full] = await worker.accept({ to: ['ann@full.test'] });
  const put = await worker.outcome(full!, 'deferred');
  const [scheduled] = await worker.accept({ to: ['bob@later.test'], firstAttempt });
  await expect.poll(() => worker.deliveries()).toHaveLength(2);
  const { waiting, destinations, groups, suspensions, suspended_accounts, ...totals } = await queue();
  expect(totals).toEqual({
    deliveries: 2,
    in_flight: 0,
    due: 0,
    suspended: 0,
    next_due_at: put.next_attempt_at,
  });
  expect(waiting).toEqual([
    {
      message_id: full,
      destination: 'full.test',
      state: 'waiting',
      attempts: 1,
      due_at: put.next_attempt_at,
      suspended_until: null,
      reason: '452 mailbox full',
      account_id: ACCOUNT,
    },
    {
      message_id: scheduled,
      destination: 'later.test',
      state: 'waiting',
      attempts: 0,
      due_at: firstAttempt.toISOString(),
      suspended_until: null,
      reason: 'waits for its first attempt',
      account_id: ACCOUNT,
    },
  ]);
  expect([groups, suspensions, suspended_accounts]).toEqual([[], [], []]);
  expect(destinations).toEqual([
    { destination: 'full.test', deliveries: 1, next_due_at: put.next_attempt_at },
    { destination: 'later.test', deliveries: 1, next_due_at: firstAttempt.toISOString() },
  ]);
});

it('shows the attempts in flight, and names no recipient', async () => {
  host.manners = { accept: () => new Promise(() => undefined) };
  host.messages.length = 0;
  const [id] = await worker.accept({ to: ['secret-name@busy.test'] });
  await host.waitFor(1);
  const found = await queue();
  expect(found).toMatchObject({ deliveries: 3, in_flight: 1 });
  expect(found.waiting[0]).toMatchObject({
    message_id: id,
    state: 'leased',
    reason: 'an attempt is in flight',
  });
  expect(found.destinations).toContainEqual({ destination: 'busy.test', deliveries: 1, next_due_at: null });
  expect(JSON.stringify(found)).not.toContain('secret-name');
});

it('is for services only', async () => {
  const { status } = await worker.call('GET', '/operator/queue');
  expect(status).toBe(404);
});
