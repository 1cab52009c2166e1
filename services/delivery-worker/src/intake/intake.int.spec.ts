import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Outbox } from '@postmesh/events';
import { deliver, transactionsOf, roundTripsWith } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { MailHost } from '../testing/mail-host.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

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
afterEach(() => {
  host.messages.length = 0;
});

const take = (...events: Awaited<ReturnType<WorkerUnderTest['message']>>[]) =>
  deliver(worker.service, events);
const later = new Date(Date.now() + 3_600_000);

describe('the intake', () => {
  it('makes one delivery per recipient, with the facts of its request', async () => {
    const event = await worker.message({ to: ['a@one.test', 'b@two.test'], firstAttempt: later });
    await take(event);
    expect(await worker.deliveries()).toMatchObject([
      {
        recipient: 'a@one.test',
        destination: 'one.test',
        state: 'waiting',
        attempts: 0,
        first_attempt_at: null,
      },
      { recipient: 'b@two.test', destination: 'two.test', due_at: new Date(later.toISOString()) },
    ]);
    const facts: { facts: string; send_request_id: string }[] = await worker.database.query(
      'select send_request_id, facts from deliveries',
    );
    const { send_request_id, size, content_id } = event.data;
    for (const row of facts) {
      expect(row.send_request_id).toBe(send_request_id);
      expect(JSON.parse(row.facts)).toMatchObject({ size, contentId: content_id, recipients: 2 });
    }
  });

  it('takes an event once, twice in a batch and in two batches', async () => {
    const event = await worker.message({ firstAttempt: later });
    const before = (await worker.deliveries()).length;
    await take(event, event);
    await take(event);
    expect(await worker.deliveries()).toHaveLength(before + 1);
  });

  it('does not begin a delivery again that was finished before a repeated event', async () => {
    const event = await worker.message();
    await worker.bus.publish([event, event]);
    await worker.outcome(event.data.send_request_id, 'delivered');
    await take(event);
    const next = await worker.message({ to: ['next@mail.test'] });
    await take(next);
    await worker.outcome(next.data.send_request_id, 'delivered');
    expect(host.recipients).toEqual(['ann@mail.test', 'next@mail.test']);
  });

  it('claims due deliveries in its own commit: no claim statement is needed for them', async () => {
    const first = await worker.message({ to: ['first@mail.test'] });
    await take(first);
    await worker.outcome(first.data.send_request_id, 'delivered');
    const { rows } = worker.service.get(DeliveryQueue).queue;
    const begin = vi.spyOn(rows, 'insert');
    const events = [];
    for (let nth = 0; nth < 20; nth++) {
      const event = await worker.message({ to: [`direct${nth}@mail.test`] });
      events.push(event);
      await take(event);
    }
    const published = await Promise.all(
      events.map(({ data }) => worker.outcome(data.send_request_id, 'delivered')),
    );
    expect(published.every(({ attempt }) => attempt === 1)).toBe(true);
    const claimed = begin.mock.calls.flatMap(([, , { ids }]) => [...ids]);
    // the loop polls once in a while, and rows that arrive in that moment are left to it
    expect(claimed.length).toBeGreaterThan(10);
  });

  it('by the release before, which writes no group and knows no ready rows, is worked on, too', async () => {
    const event = await worker.message({ to: ['before@mail.test'], firstAttempt: later });
    await take(event);
    await worker.database.query(
      `update deliveries set group_key = null, ends_at = null, state = 'waiting', due_at = now() where id = $1`,
      [event.data.send_request_id],
    );
    await worker.outcome(event.data.send_request_id, 'delivered');
  });

  it('takes nothing of a batch that it cannot store, and all of it when it can', async () => {
    const good = await worker.message({ to: ['good@mail.test'], firstAttempt: later });
    const bad = { ...(await worker.message({ firstAttempt: later })), account_id: null };
    await expect(take(good, bad)).rejects.toThrow();
    const has = async () =>
      (await worker.deliveries()).filter(({ recipient }) => recipient === 'good@mail.test').length;
    expect(await has()).toBe(0);
    await take(good);
    expect(await has()).toBe(1);
  });
});

describe('the round trips to the database', () => {
  it('are three of an intake and three of the record of an attempt', async () => {
    const transactions = await transactionsOf(async () => {
      for (let nth = 0; nth < 3; nth++) {
        const event = await worker.message({ to: [`counted${nth}@mail.test`] });
        // with a commit, as the messages service does it: the bus then delivers it once
        await worker.database.transaction((tx) => worker.service.get(Outbox).add(tx, event));
        await worker.outcome(event.data.send_request_id, 'delivered');
      }
    });
    expect(roundTripsWith(transactions, /insert into deliveries/)).toEqual([3, 3, 3]);
    expect(roundTripsWith(transactions, /delete from deliveries/)).toEqual([3, 3, 3]);
  });
});
