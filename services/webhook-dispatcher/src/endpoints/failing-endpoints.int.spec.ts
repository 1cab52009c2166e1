import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startHttpReceiver, testDatabase, type HttpReceiver } from '@postmesh/testing';
import { WebhookQueue } from '../queue/webhook-queue.js';
import { startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';

// repeats, with real calls, the order and pace of calls to failing endpoints

const database = testDatabase();
let under: DispatcherUnderTest;
beforeAll(async () => {
  // tests skip waits of seconds and more; a call may take longer than a test does
  const settings = { webhookRetryScale: 1, webhookTimeoutSeconds: 60 };
  under = await startDispatcher(database.url, { logLevel: 'silent', ...settings });
});
afterAll(() => under.stop());

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  // each test begins without due deliveries
  for (const table of ['webhook_deliveries', 'endpoint_states']) {
    await under.database.query(`truncate ${table}`);
  }
  under.attempts.length = 0;
  under.standings.length = 0;
});

async function receive(): Promise<HttpReceiver> {
  const receiver = await startHttpReceiver();
  closing.push(() => receiver.close());
  return receiver;
}

/** deliveries whose attempt is running, or not recorded yet */
const unrecorded = async () => (await under.pending()).filter(({ state }) => state === 'leased');

/** Accepts connections and sends nothing until it has a status to respond with; counts the open ones. */
async function silentHost() {
  const open = new Set<Socket>();
  let [most, status] = [0, 0];
  const server = createServer((socket) => {
    open.add(socket);
    most = Math.max(most, open.size);
    socket
      .on('data', () => status > 0 && socket.end(`HTTP/1.1 ${status} Status\r\ncontent-length: 0\r\n\r\n`))
      .on('error', () => undefined)
      .on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => open.forEach((socket) => socket.destroy());
  closing.push(async () => {
    server.close();
    cut();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    open,
    /** makes its calls fail now */
    cut,
    respondWith: (given: number) => void (status = given),
    /** the maximum of concurrent calls since it was last read */
    takeMost: () => [most, (most = open.size)][0],
  };
}

describe('spec 2-messages §18 rule 8: a failing endpoint', () => {
  it('is probed by one call at a time after five failures in a row; its first success makes all calls that waited', async () => {
    const silent = await silentHost();
    const webhookId = newId();
    const events = Array.from({ length: 40 }, () => under.request(silent.url, { webhookId }));
    await under.bus.publish(events);
    const find = async () => (await under.internal('GET', `/operator/endpoints/${webhookId}`)).body;
    await expect.poll(() => silent.open.size).toBeGreaterThanOrEqual(5);
    silent.cut();
    await under.until(() => under.attempts.length >= 5);
    // a claim that was running at the fifth failure may have claimed more
    await expect
      .poll(() => {
        silent.cut();
        return unrecorded();
      })
      .toEqual([]);
    silent.takeMost();
    for (let probe = 1; probe <= 3; probe += 1) {
      await under.skip(3_600);
      await expect.poll(() => silent.open.size).toBe(1);
      // while a probe is running, elapsed time triggers no second one
      await under.skip(3_600);
      await expect.poll(find).toMatchObject({
        target: 'webhook',
        in_flight: 1,
        failures: expect.any(Number),
        failing_since: expect.any(String),
        next_call_at: expect.any(String),
        last_failure: expect.stringMatching(/^connection/),
        oldest_at: expect.any(String),
      });
      const { length } = under.attempts;
      silent.cut();
      await under.until(() => under.attempts.length > length);
      expect(silent.takeMost()).toBe(1);
    }
    // an unsuccessful answer changes nothing
    silent.respondWith(500);
    const { length } = under.attempts;
    await under.skip(3_600);
    await under.until(() => under.attempts.length > length);
    expect(under.attempts.slice(length)).toMatchObject([{ success: false, status: 500 }]);
    expect((await find()).failures).toBeGreaterThanOrEqual(5);
    silent.respondWith(200);
    await under.skip(3_600);
    await under.until(() => under.attempts.filter(({ success }) => success).length === 40);
    const succeeded = under.attempts.filter(({ success }) => success).map(({ delivery_id }) => delivery_id);
    expect(new Set(succeeded)).toEqual(new Set(events.map(({ data }) => data.delivery_id)));
    await expect.poll(find).toMatchObject({ failures: 0, failing_since: null, deliveries: 0 });
  });

  it('spec 2-messages §18 rule 6: each of its calls has all of its tries', async () => {
    const event = under.request('http://10.0.0.1/');
    await under.bus.publish([event]);
    const attempts = await under.ended(event.data.delivery_id);
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    const { body } = await under.internal('GET', '/operator/endpoints');
    expect(body.endpoints).toMatchObject([{ failures: 6, deliveries: 0 }]);
  });

  it('is no reason for an alert: only deliveries that a dispatcher could make are due, or late', async () => {
    const receiver = await receive();
    receiver.respondWith({ status: 503 });
    const webhookId = newId();
    await under.bus.publish(Array.from({ length: 20 }, () => under.request(receiver.url, { webhookId })));
    await under.until(() => under.attempts.length >= 5);
    await expect.poll(unrecorded).toEqual([]);
    await under.database.query(`update webhook_deliveries set due_at = due_at - interval '1 hour'`);
    await under.database.query(`update endpoint_states set next_call_at = now() + interval '1 hour'`);
    // the waiting deliveries become ready at the next sweep
    await expect.poll(() => under.service.get(WebhookQueue).lateSeconds()).toBeLessThan(60);
    await under.database.query('update endpoint_states set failures = 0, next_call_at = null');
    expect(await under.service.get(WebhookQueue).lateSeconds()).toBeGreaterThan(3_000);
  });

  it('and a disabled one are shown in plain text, with the commands that resolve it', async () => {
    const [failing, disabled] = [newId(), newId()].map((endpoint_id, nth) => ({
      endpoint_id,
      target: 'webhook' as const,
      account_id: newId(),
      name: 'Shop events',
      host: 'shop.test',
      state: nth === 0 ? ('failing' as const) : ('disabled' as const),
      standing: 'every call has failed',
      to_do: `npx postmesh webhook-attempts ${endpoint_id}`,
    }));
    under.standings.push(disabled!, failing!);
    await under.bus.publish([
      under.request('http://127.0.0.1:1/', { dueAt: new Date(Date.now() + 60_000) }),
      under.request('http://127.0.0.1:1/', {
        webhookId: failing!.endpoint_id,
        dueAt: new Date(Date.now() + 60_000),
      }),
    ]);
    const list = async (search = '') => (await under.internal('GET', `/operator/endpoints${search}`)).body;
    await expect
      .poll(async () => (await list()).endpoints)
      .toMatchObject([
        { ...disabled, deliveries: 0 },
        { ...failing, deliveries: 1 },
        { state: 'enabled', deliveries: 1 },
      ]);
    expect((await list('?troubled=true')).endpoints).toHaveLength(2);
  });
});

it('spec 2-messages §18 rule 6: an endpoint that sends Retry-After is not called until then', async () => {
  const receiver = await receive();
  receiver.respondWith({ status: 429, headers: { 'retry-after': '3600' } });
  const webhookId = newId();
  await under.bus.publish([under.request(receiver.url, { webhookId })]);
  await under.until(() => under.attempts.length === 1);
  const other = await receive();
  await under.bus.publish([under.request(receiver.url, { webhookId })]);
  await under.bus.publish([under.request(other.url)]);
  await other.waitFor(1);
  expect(receiver.requests).toHaveLength(1);
  receiver.respondWith({});
  await under.skip(3_700);
  await under.until(() => under.attempts.filter(({ success }) => success).length === 3);
  expect(receiver.requests).toHaveLength(3);
});

it('1 dead, 1 slow and 100 healthy endpoints under load: healthy endpoints do not wait', async () => {
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
  const busy = await waitsOf(5);
  console.info(`with dead and slow ones: ${shown(busy)}; alone: ${shown(alone)}`);
  // a delivery that waited for permits would wait for the minute of the dead endpoint
  expect(under.attempts.filter(({ reason }) => reason?.startsWith('timeout')).length).toBeLessThan(200);
  expect(busy).toHaveLength(500);
});

const shown = (waits: readonly number[]) =>
  `p50 ${waits[Math.floor(waits.length / 2)]} ms, p99 ${waits[Math.floor(waits.length * 0.99)]} ms`;

it('on one host, too: a slow endpoint does not delay another one of its host and account', async () => {
  const receiver = await receive();
  const [accountId, slow, quick] = [newId(), newId(), newId()];
  receiver.respondWith(({ path }) => (path === '/slow' ? { delayMs: 120_000 } : {}));
  await under.bus.publish(
    Array.from({ length: 60 }, () => under.request(`${receiver.url}/slow`, { webhookId: slow, accountId })),
  );
  await receiver.waitFor(10);
  await under.bus.publish(
    Array.from({ length: 20 }, () => under.request(`${receiver.url}/quick`, { webhookId: quick, accountId })),
  );
  await receiver.waitFor(20, { where: ({ path }) => path === '/quick' });
  expect(under.attempts.filter(({ webhook_id }) => webhook_id === slow)).toEqual([]);
});
