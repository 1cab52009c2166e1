import { afterEach, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { createTestDatabase, startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import {
  heldResponse,
  isSigned,
  startDispatcher,
  type DispatcherUnderTest,
} from '../testing/dispatcher-under-test.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function freshDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  closing.push(drop);
  return url;
}

async function dispatcher(
  url: string,
  more: Parameters<typeof startDispatcher>[1] = {},
): Promise<DispatcherUnderTest> {
  const under = await startDispatcher(url, { logLevel: 'silent', ...more });
  closing.push(() => under.stop());
  return under;
}

async function receive(): Promise<HttpReceiver> {
  const receiver = await startHttpReceiver();
  closing.push(() => receiver.close());
  return receiver;
}

it('1,000 webhook deliveries by two dispatchers: each arrives once, signed, and has one event', async () => {
  const url = await freshDatabase();
  // a busy machine may answer late: only answered calls are counted
  const settings = { targets: new Map(), webhookTimeoutSeconds: 60 };
  const [one] = await Promise.all([dispatcher(url, settings), dispatcher(url, settings)]);
  const receiver = await receive();
  const webhooks = Array.from({ length: 20 }, () => newId());
  const events = Array.from({ length: 1_000 }, (_, nth) =>
    one.request(`${receiver.url}/${nth % 20}`, { webhookId: webhooks[nth % 20]! }),
  );
  for (let at = 0; at < events.length; at += 200) await one.bus.publish(events.slice(at, at + 200));
  await one.until(() => one.attempts.length >= 1_000);
  expect(one.attempts.filter(({ success, attempt }) => !success || attempt !== 1)).toEqual([]);
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1_000);
  expect(receiver.requests).toHaveLength(1_000);
  expect(receiver.requests.every((request) => isSigned(request))).toBe(true);
  expect(await one.pending()).toEqual([]);
});

it('a slow receiver uses its share of calls and delays no other one', async () => {
  const settings = { webhookPerHost: 3, webhookTimeoutSeconds: 60 };
  const under = await dispatcher(await freshDatabase(), settings);
  const [slow, quick] = [await receive(), await receive()];
  const { until, respond } = heldResponse();
  slow.respondWith({ until });
  const slowCalls = Array.from({ length: 12 }, () => under.request(slow.url));
  const quickCalls = Array.from({ length: 40 }, () => under.request(quick.url));
  await under.bus.publish(slowCalls);
  await slow.waitFor(1);
  await under.bus.publish(quickCalls);
  await quick.waitFor(40);
  await slow.waitFor(3);
  expect(slow.requests).toHaveLength(3);
  let atOnce = 0;
  let most = 0;
  slow.respondWith(() => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    setTimeout(() => (atOnce -= 1), 20);
    return { delayMs: 20 };
  });
  respond();
  await under.until(() => under.attempts.length >= 52);
  expect(slow.requests).toHaveLength(12);
  expect(most).toBeLessThanOrEqual(3);
});

it('concurrent calls stay within the limit', async () => {
  const under = await dispatcher(await freshDatabase(), { webhookConcurrency: 4, webhookPerHost: 100 });
  const receiver = await receive();
  let atOnce = 0;
  let most = 0;
  receiver.respondWith(() => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    setTimeout(() => (atOnce -= 1), 20);
    return { delayMs: 20 };
  });
  await under.bus.publish(Array.from({ length: 60 }, () => under.request(receiver.url)));
  await under.until(() => under.attempts.length >= 60);
  expect(most).toBeLessThanOrEqual(4);
});

it('an account that floods a receiver delays no other account, and its URL is not queried each time', async () => {
  const settings = { webhookConcurrency: 20, webhookPerHost: 20, webhookTimeoutSeconds: 60 };
  const under = await dispatcher(await freshDatabase(), settings);
  const [slow, quick] = [await receive(), await receive()];
  const { until, respond } = heldResponse();
  slow.respondWith({ until });
  const [flood, webhookId] = [newId(), newId()];
  const many = Array.from({ length: 300 }, () => under.request(slow.url, { accountId: flood, webhookId }));
  await under.bus.publish(many);
  await slow.waitFor(1);
  const others = Array.from({ length: 10 }, () => under.request(quick.url, { accountId: newId() }));
  await under.bus.publish(others);
  await quick.waitFor(10);
  expect(slow.requests.length).toBeLessThan(20);
  slow.respondWith({});
  respond();
  await slow.waitFor(100);
  expect(under.asked.flat().filter((id) => id === webhookId).length).toBeLessThan(10);
  await under.stopWebhook(webhookId);
});
