import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startHttpReceiver, testDatabase, type HttpReceiver } from '@postmesh/testing';
import {
  heldResponse,
  isSigned,
  startDispatcher,
  type DispatcherUnderTest,
} from '../testing/dispatcher-under-test.js';

const database = testDatabase();
let under: DispatcherUnderTest;
let receiver: HttpReceiver;

beforeAll(async () => {
  under = await startDispatcher(database.url, { logLevel: 'silent', webhookRetryScale: 0.0002 });
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await under.stop();
  await receiver.close();
});
afterEach(() => {
  receiver.clear();
  receiver.respondWith({});
  under.attempts.length = 0;
});

const told = (deliveryId: string) => under.attempts.filter((attempt) => attempt.delivery_id === deliveryId);
const ended = (deliveryId: string) =>
  under.until(() => told(deliveryId).some((attempt) => attempt.next_attempt_at === null) && told(deliveryId));

describe('a webhook delivery', () => {
  it('is one signed POST with the exact body', async () => {
    const body = '{"type":"message.delivered","data":{"subject":"Grüße 🎉"}}';
    const event = under.request(`${receiver.url}/hooks?a=1`, { body });
    const begun = Date.now();
    await under.bus.publish([event]);
    const [attempt] = await ended(event.data.delivery_id);
    expect(attempt).toMatchObject({
      webhook_id: event.data.webhook_id,
      attempt: 1,
      success: true,
      status: 200,
      reason: null,
    });
    const [request] = await receiver.waitFor(1);
    expect(request).toMatchObject({ method: 'POST', path: '/hooks?a=1' });
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': event.data.webhook_message_id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(request!.body.toString()).toBe(body);
    expect(isSigned(request!)).toBe(true);
    const sentAt = Number(request!.headers['webhook-timestamp']);
    expect(sentAt).toBeGreaterThanOrEqual(Math.floor(begun / 1_000));
    expect(sentAt).toBeLessThanOrEqual(Date.now() / 1_000 + 1);
    expect(await under.pending()).toEqual([]);
    const rows = await under.database.query(
      'select outcome, status from webhook_attempts where delivery_id = $1',
      [event.data.delivery_id],
    );
    expect(rows).toEqual([{ outcome: 'succeeded', status: 200 }]);
  });

  it('is made once for any number of deliveries of its event', async () => {
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    await ended(event.data.delivery_id);
    await under.bus.publish([event, event]);
    const next = under.request(receiver.url);
    await under.bus.publish([next]);
    await ended(next.data.delivery_id);
    expect(receiver.requests).toHaveLength(2);
  });

  it('is not made before it is due', async () => {
    const dueAt = new Date(Date.now() + 700);
    const event = under.request(receiver.url, { dueAt });
    await under.bus.publish([event]);
    const [request] = await receiver.waitFor(1);
    expect(request!.at.getTime()).toBeGreaterThanOrEqual(dueAt.getTime() - 5);
  });
});

describe('a failure', () => {
  it('is tried again by the clock of the database, not by that of the dispatcher', async () => {
    receiver.respondWith({ status: 503 });
    const event = under.request(receiver.url);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      await under.bus.publish([event]);
      await under.until(() => told(event.data.delivery_id).length > 0);
    } finally {
      vi.useRealTimers();
    }
    const [first] = await ended(event.data.delivery_id);
    const [{ late }] = await under.database.query(
      `select $1::timestamptz > now() + interval '1 minute' as late`,
      [first!.next_attempt_at],
    );
    expect(late).toBe(false);
  });

  it('is retried under the same id, signed anew, until a success', async () => {
    receiver.respondWith((_, nth) => ({ status: [500, 404, 204][(nth - 1) % 3] ?? 204 }));
    const event = under.request(receiver.url);
    receiver.respondWith(() => ({ status: [500, 404, 204][receiver.requests.length - 1] ?? 500 }));
    await under.bus.publish([event]);
    const story = await ended(event.data.delivery_id);
    expect(
      story.map(({ attempt, success, status, reason }) => ({ attempt, success, status, reason })),
    ).toEqual([
      { attempt: 1, success: false, status: 500, reason: 'answered 500' },
      { attempt: 2, success: false, status: 404, reason: 'answered 404' },
      { attempt: 3, success: true, status: 204, reason: null },
    ]);
    expect(receiver.requests.every((request) => isSigned(request))).toBe(true);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([event.data.webhook_message_id]),
    );
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
  });

  it('is given up after the last try of the setting', async () => {
    receiver.respondWith({ status: 503 });
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    const story = await ended(event.data.delivery_id);
    expect(story.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(story.every(({ success }) => !success)).toBe(true);
    // the waits less 10 %, scaled by 1/5000: from the answer of each attempt to the due time of the next one
    const waits = story.slice(0, 5).map(({ attempted_at, next_attempt_at }) => {
      return Date.parse(next_attempt_at ?? '') - Date.parse(attempted_at);
    });
    [0.18, 2.88, 14.58, 46.08, 112.5].forEach((least, nth) =>
      expect(waits[nth]).toBeGreaterThanOrEqual(least - 1),
    );
    expect(receiver.requests).toHaveLength(6);
    expect(await under.pending()).toEqual([]);
    const rows = await under.database.query(
      'select outcome from webhook_attempts where delivery_id = $1 order by attempt',
      [event.data.delivery_id],
    );
    expect(rows.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      ...Array.from({ length: 5 }, () => 'retried'),
      'dropped',
    ]);
  });

  it.each<[string, () => void, object]>([
    [
      'a redirect that turns the call into a GET',
      () => receiver.respondWith({ status: 303, headers: { location: '/elsewhere' } }),
      { status: 303, reason: 'answered 303' },
    ],
    ['a cut connection', () => receiver.respondWith({ hangUp: true }), { status: null }],
  ])('is %s', async (_, prepare, expected) => {
    prepare();
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    const story = await ended(event.data.delivery_id);
    expect(story[0]).toMatchObject({ success: false, ...expected });
    expect(receiver.requests.every(({ path }) => path === '/')).toBe(true);
  });

  it('is an unknown name, or an address that is not allowed', async () => {
    const unknown = under.request('http://nowhere.invalid/');
    const refused = under.request('http://10.0.0.1/');
    await under.bus.publish([unknown, refused]);
    expect((await ended(unknown.data.delivery_id))[0]!.reason).toMatch(/^name-not-resolved/);
    expect((await ended(refused.data.delivery_id))[0]!.reason).toMatch(/^address-refused/);
  });
});

describe('a stopped webhook', () => {
  it('has no pending deliveries; other webhooks have', async () => {
    receiver.respondWith({ status: 500 });
    const later = new Date(Date.now() + 60_000);
    const webhookId = newId();
    const own = [1, 2, 3].map(() => under.request(receiver.url, { webhookId, dueAt: later }));
    const other = under.request(receiver.url, { dueAt: later });
    await under.bus.publish([...own, other]);
    await under.stopWebhook(webhookId);
    const last = under.request(receiver.url);
    await under.bus.publish([last]);
    await under.until(() => told(last.data.delivery_id).length > 0);
    expect((await under.pending()).map(({ id }) => id)).toContain(other.data.delivery_id);
    for (const { data } of own)
      expect((await under.pending()).map(({ id }) => id)).not.toContain(data.delivery_id);
    await under.stopWebhook(other.data.webhook_id);
    await ended(last.data.delivery_id);
  });

  it('is not called again when it is stopped during a call', async () => {
    const { until, respond } = heldResponse();
    receiver.respondWith({ status: 500, until });
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    await receiver.waitFor(1);
    await under.stopWebhook(event.data.webhook_id);
    await expect
      .poll(async () => (await under.pending()).map(({ id }) => id))
      .not.toContain(event.data.delivery_id);
    respond();
    const after = under.request(receiver.url);
    receiver.respondWith({});
    await under.bus.publish([after]);
    await ended(after.data.delivery_id);
    expect(told(event.data.delivery_id)).toEqual([]);
    expect(receiver.requests).toHaveLength(2);
  });
});

it('an unreadable secret defers the call, counts no attempt and has a reason', async () => {
  const event = under.request(receiver.url, { sealedSecret: 'v1.AAAA' });
  const next = under.request(receiver.url);
  await under.bus.publish([event, next]);
  await ended(next.data.delivery_id);
  await expect
    .poll(async () => (await under.internal('GET', '/operator/queue')).body.waiting)
    .toMatchObject([
      { delivery_id: event.data.delivery_id, attempts: 0, reason: 'its signing secret cannot be read' },
    ]);
  expect(told(event.data.delivery_id)).toEqual([]);
  await under.stopWebhook(event.data.webhook_id);
});

describe('the URL of a webhook', () => {
  it('is queried when an attempt begins: a changed URL applies to pending deliveries, too', async () => {
    const dueAt = new Date(Date.now() + 500);
    const event = under.request('http://127.0.0.1:1/old', { dueAt });
    await under.bus.publish([event]);
    const { sealed_secret } = under.targets.get(event.data.webhook_id)!;
    under.targets.set(event.data.webhook_id, { url: `${receiver.url}/new`, sealed_secret });
    const [request] = await receiver.waitFor(1);
    expect(request!.path).toBe('/new');
  });

  it('is unknown for a deleted webhook: nothing is called, and nothing is pending', async () => {
    const event = under.request(receiver.url, { unknown: true });
    const next = under.request(receiver.url);
    await under.bus.publish([event, next]);
    await ended(next.data.delivery_id);
    await expect.poll(() => under.pending()).toEqual([]);
    expect(told(event.data.delivery_id)).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('defers the delivery while it is unavailable, and counts no attempt', async () => {
    const event = under.request(receiver.url);
    under.targets.set(event.data.webhook_id, { url: 7 as unknown as string, sealed_secret: 'x' });
    await under.bus.publish([event]);
    await expect
      .poll(() => under.pending())
      .toMatchObject([{ state: 'waiting', attempts: 0, reason: 'its URL cannot be asked for' }]);
    expect(told(event.data.delivery_id)).toEqual([]);
    await under.stopWebhook(event.data.webhook_id);
    await expect.poll(() => under.pending()).toEqual([]);
  });
});

it('a delivery stored by the previous release is made like any other', async () => {
  const event = under.request(receiver.url);
  const { delivery_id, webhook_id, host, webhook_message_id, event_type, body } = event.data;
  await under.database.query(
    `insert into webhook_deliveries (id, account_id, group_key, host, webhook_id, webhook_message_id, event_type, body,
       state, due_at, reason) values ($1, $2, $4, $4, $3, $5, $6, $7, 'ready', now(), 'not tried yet')`,
    [delivery_id, event.account_id, webhook_id, host, webhook_message_id, event_type, body],
  );
  expect(await ended(delivery_id)).toMatchObject([{ success: true, webhook_id }]);
});

describe('the operator', () => {
  it('sees one delivery: its attempts, and the end of its wait', async () => {
    receiver.respondWith(() => ({ status: receiver.requests.length < 2 ? 503 : 200 }));
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    const id = event.data.delivery_id;
    await ended(id);
    const { status, body } = await under.internal('GET', `/operator/deliveries/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      delivery_id: id,
      waiting: null,
      attempts: [
        { attempt: 1, outcome: 'retried', status: 503, reason: 'answered 503', host: event.data.host },
        { attempt: 2, outcome: 'succeeded', status: 200, reason: null },
      ],
    });
    const later = under.request(receiver.url, { dueAt: new Date(Date.now() + 60_000) });
    await under.bus.publish([later]);
    const find = () => under.internal('GET', `/operator/deliveries/${later.data.delivery_id}`);
    await expect.poll(async () => (await find()).status).toBe(200);
    expect((await find()).body).toMatchObject({
      waiting: { state: 'waiting', attempts: 0, reason: 'not tried yet' },
      attempts: [],
    });
    expect((await under.internal('GET', `/operator/deliveries/${newId()}`)).status).toBe(404);
    await under.stopWebhook(later.data.webhook_id);
  });
});
