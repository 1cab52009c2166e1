import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { createTestDatabase, startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { WebhookQueue } from '../queue/webhook-queue.js';
import { startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function dispatcher(more: Parameters<typeof startDispatcher>[1] = {}): Promise<DispatcherUnderTest> {
  const { url, drop } = await createTestDatabase();
  closing.push(drop);
  const under = await startDispatcher(url, { logLevel: 'silent', webhookRetryScale: 1, ...more });
  closing.push(() => under.stop());
  return under;
}

async function receive(): Promise<HttpReceiver> {
  const receiver = await startHttpReceiver();
  closing.push(() => receiver.close());
  return receiver;
}

/** Takes connections and never says a word; counts those that are open. */
async function silentHost() {
  const seen = { open: 0, most: 0 };
  const server = createServer((socket) => {
    seen.open += 1;
    seen.most = Math.max(seen.most, seen.open);
    socket
      .resume()
      .on('error', () => undefined)
      .on('close', () => (seen.open -= 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => server.close());
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

describe('an endpoint that does not answer', () => {
  it('is open after five attempts in a row, is called by one at a time, and closes with its first answer', async () => {
    const under = await dispatcher({ webhookTimeoutSeconds: 1 });
    const silent = await silentHost();
    const webhookId = newId();
    const events = Array.from({ length: 40 }, () => under.request(silent.url, { webhookId }));
    await under.bus.publish(events);
    const find = async () => (await under.internal('GET', `/operator/endpoints/${webhookId}`)).body;
    await expect.poll(find).toMatchObject({
      state: 'open',
      target: 'webhook',
      in_flight: 1,
      last_failure: 'timeout (TimeoutError)',
      opened_at: expect.any(String),
      oldest_at: expect.any(String),
    });
    expect((await under.internal('GET', '/operator/endpoints?open=true')).body.endpoints).toMatchObject([
      { endpoint_id: webhookId, state: 'open' },
    ]);
    const { queue } = under.service.get(WebhookQueue);
    // a claim that was under way when it opened may have taken more
    await expect.poll(() => queue.size).toBeLessThanOrEqual(1);
    const before = under.attempts.length;
    let most = 0;
    await under.until(() => {
      most = Math.max(most, queue.size);
      return under.attempts.length >= before + 2;
    });
    expect(most).toBeLessThanOrEqual(1);
    // it has moved, and there somebody answers
    const receiver = await receive();
    receiver.respondWith({ status: 500 });
    const { sealed_secret } = under.targets.get(webhookId)!;
    under.targets.set(webhookId, { url: receiver.url, sealed_secret });
    await receiver.waitFor(1, { timeoutMs: 20_000 });
    await expect.poll(find).toMatchObject({ state: 'closed', unanswered: 0 });
    expect((await find()).attempts[0]).toMatchObject({ status: 500, outcome: 'retried' });
  });

  it('spec 2-messages §18 rule 6: is tried six times all the same', async () => {
    const under = await dispatcher({ webhookRetryScale: 0.001 });
    const event = under.request('http://10.0.0.1/');
    await under.bus.publish([event]);
    await under.until(() => under.attempts.some(({ next_attempt_at }) => next_attempt_at === null));
    expect(under.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    const { body } = await under.internal('GET', '/operator/endpoints');
    expect(body.endpoints).toMatchObject([{ state: 'open', unanswered: 6, deliveries: 0 }]);
  });
});

it('1 dead, 1 slow and 100 healthy endpoints under load: nobody healthy waits', async () => {
  const under = await dispatcher();
  const [silent, slow, healthy] = [await silentHost(), await receive(), await receive()];
  slow.respondWith({ delayMs: 3_000 });
  const accountId = newId();
  const ids = Array.from({ length: 100 }, () => newId());
  const [dead, late] = [newId(), newId()];
  const waitsOf = async (rounds: number) => {
    const sentAt = new Map<string, number>();
    healthy.clear();
    for (let round = 1; round <= rounds; round += 1) {
      const events = ids.map((webhookId) => under.request(healthy.url, { webhookId, accountId }));
      for (const { data } of events) sentAt.set(data.webhook_message_id, Date.now());
      await under.bus.publish(events);
      await healthy.waitFor(round * 100, { timeoutMs: 30_000 });
    }
    const waits = healthy.requests.map(
      ({ at, headers }) => at.getTime() - sentAt.get(String(headers['webhook-id']))!,
    );
    return waits.sort((one, other) => one - other);
  };
  const alone = await waitsOf(3);
  const load = Array.from({ length: 300 }, () => [
    under.request(silent.url, { webhookId: dead, accountId }),
    under.request(slow.url, { webhookId: late, accountId }),
  ]).flat();
  await under.bus.publish(load);
  const beside = await waitsOf(5);
  console.info(`beside dead and slow: ${shown(beside)}; alone: ${shown(alone)}`);
  // whoever waited for places would wait for the ten seconds of the dead one
  expect(under.attempts.filter(({ reason }) => reason?.startsWith('timeout')).length).toBeLessThan(200);
  expect(beside).toHaveLength(500);
});

const shown = (waits: readonly number[]) =>
  `p50 ${waits[Math.floor(waits.length / 2)]} ms, p99 ${waits[Math.floor(waits.length * 0.99)]} ms`;

it('on one host, too: an endpoint that is slow holds up no other one of its host and account', async () => {
  const under = await dispatcher();
  const receiver = await receive();
  const [accountId, slow, quick] = [newId(), newId(), newId()];
  receiver.respondWith(({ path }) => (path === '/slow' ? { delayMs: 5_000 } : {}));
  await under.bus.publish(
    Array.from({ length: 60 }, () => under.request(`${receiver.url}/slow`, { webhookId: slow, accountId })),
  );
  await receiver.waitFor(10);
  await under.bus.publish(
    Array.from({ length: 20 }, () => under.request(`${receiver.url}/quick`, { webhookId: quick, accountId })),
  );
  await receiver.waitFor(20, { where: ({ path }) => path === '/quick', timeoutMs: 4_000 });
});
