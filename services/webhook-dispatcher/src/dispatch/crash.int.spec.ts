import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { createTestDatabase, startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { PostgresOwedCalls } from '../postgres/postgres-owed-calls.js';
import { AttemptRecorder } from '../record/attempt-recorder.js';
import { isSigned, startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';
import { DispatchLoop } from './dispatch-loop.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function freshDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  closing.push(drop);
  return url;
}

async function receive(): Promise<HttpReceiver> {
  const receiver = await startHttpReceiver();
  closing.push(() => receiver.close());
  return receiver;
}

/** A dispatcher whose `stop` may be called early. */
async function dispatcher(
  url: string,
  more: Parameters<typeof startDispatcher>[1] = {},
): Promise<DispatcherUnderTest> {
  const under = await startDispatcher(url, { logLevel: 'silent', ...more });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= under.stop());
  closing.push(stop);
  return { ...under, stop };
}

/** The tables alone: what a dispatcher has that takes calls and is never heard of again. */
async function tables(url: string) {
  const dataSource = await openDatabase({
    url,
    schema: 'webhook_dispatcher',
    entities: [],
    migrations: [],
    poolSize: 2,
    logger: createLogger({ logLevel: 'silent' }, 'test'),
  });
  closing.push(() => dataSource.destroy());
  return dataSource;
}

/** Makes the leases of whoever took calls end now. */
async function endLeases(under: DispatcherUnderTest): Promise<void> {
  await under.database.query(
    `update owed_calls set leased_until = now() - interval '1 second' where leased_until is not null`,
  );
  under.service.get(DispatchLoop).wake();
}

const everyCall = { limit: 10, rooms: [], perHost: 10 };

describe('a dispatcher that dies between claim and record', () => {
  it('leaves the call to another one, which makes it under the same id when the lease has ended', async () => {
    const url = await freshDatabase();
    const receiver = await receive();
    const first = await dispatcher(url);
    const webhookId = newId();
    const event = first.request(`${receiver.url}/late`, {
      webhookId,
      dueAt: new Date(Date.now() + 3_600_000),
    });
    const behind = first.request(`${receiver.url}/now`, { webhookId });
    await first.bus.publish([event, behind]);
    await receiver.waitFor(1);
    await first.stop();

    const dead = await tables(url);
    await dead.query(`update owed_calls set due_at = now() - interval '1 second'`);
    const taken = await new PostgresOwedCalls(dead).claim(everyCall);
    expect(taken).toMatchObject([{ id: event.data.call_id, attempt: 1, lease: 1 }]);

    const second = await dispatcher(url);
    expect(await second.owed()).toMatchObject([{ id: event.data.call_id, lease: 1 }]);
    await endLeases(second);
    const [request] = await receiver.waitFor(1, { where: ({ path }) => path === '/late' });
    expect(request!.headers['webhook-id']).toBe(event.data.webhook_message_id);
    expect(isSigned(request!)).toBe(true);
    const attempt = await second.until(() =>
      second.attempts.find(({ call_id }) => call_id === event.data.call_id),
    );
    expect(attempt).toMatchObject({ attempt: 1, success: true });
  });

  it('cannot write down what came of it any more (fencing)', async () => {
    const url = await freshDatabase();
    const receiver = await receive();
    receiver.respondWith({ delayMs: 500 });
    // with room for one call only, the loop takes nothing else while that one is under way
    const under = await dispatcher(url, { webhookConcurrency: 1 });
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    await receiver.waitFor(1);

    await under.database.query(`update owed_calls set leased_until = now() - interval '1 second'`);
    const [taken] = await new PostgresOwedCalls(under.database).claim(everyCall);
    expect(taken).toMatchObject({ id: event.data.call_id, lease: 2, attempt: 1 });
    const decision = { outcome: 'succeeded' as const, status: 200, reason: null, nextAttemptAt: null };
    const recorder = under.service.get(AttemptRecorder);
    const stale = { call: { ...taken!, lease: 1 }, startedAt: new Date(), durationMs: 1, decision };
    expect(await recorder.record(stale)).toBe(false);
    expect(await under.owed()).toHaveLength(1);
    expect(await recorder.record({ ...stale, call: taken! })).toBe(true);
    expect(await under.owed()).toEqual([]);

    // the first one's answer comes now: nobody writes it down
    const next = under.request(receiver.url);
    receiver.respondWith({});
    await under.bus.publish([next]);
    await under.until(() => under.attempts.some(({ call_id }) => call_id === next.data.call_id));
    expect(under.attempts.filter(({ call_id }) => call_id === event.data.call_id)).toHaveLength(1);
  });
});

describe('a stop', () => {
  it('lets running calls end and writes them down', async () => {
    const url = await freshDatabase();
    const receiver = await receive();
    const under = await dispatcher(url);
    receiver.respondWith({ delayMs: 800 });
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    await receiver.waitFor(1);
    await under.stop();
    const next = await dispatcher(url);
    await next.until(() => next.attempts.some(({ call_id }) => call_id === event.data.call_id));
    expect(receiver.requests).toHaveLength(1);
    expect(await next.owed()).toEqual([]);
  });

  it('takes five seconds at most, and what was cut off is made again under the same id', async () => {
    const url = await freshDatabase();
    const receiver = await receive();
    const under = await dispatcher(url);
    receiver.respondWith({ delayMs: 9_000 });
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    await receiver.waitFor(1);
    const begun = Date.now();
    await under.service.stop();
    expect(Date.now() - begun).toBeLessThan(5_500);
    await under.stop();
    receiver.respondWith({});
    const next = await dispatcher(url);
    expect(await next.owed()).toMatchObject([{ id: event.data.call_id, attempts: 0 }]);
    await endLeases(next);
    await next.until(() => next.attempts.some(({ success }) => success));
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([event.data.webhook_message_id, event.data.webhook_message_id]);
  });
});
