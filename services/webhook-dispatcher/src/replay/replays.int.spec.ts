import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startHttpReceiver, testDatabase, type HttpReceiver } from '@postmesh/testing';
import { isSigned, startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';

const database = testDatabase();
let under: DispatcherUnderTest;
let receiver: HttpReceiver;

beforeAll(async () => {
  under = await startDispatcher(database.url, { logLevel: 'silent', webhookRetries: [0.1] });
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await under.stop();
  await receiver.close();
});
afterEach(() => {
  receiver.clear();
  receiver.respondWith({});
});

const over = (ids: readonly string[]) =>
  under.until(() =>
    ids.every((id) =>
      under.attempts.some(
        ({ delivery_id, next_attempt_at }) => delivery_id === id && next_attempt_at === null,
      ),
    ),
  );
const replay = (range: object) => under.internal('POST', '/operator/replays', range);

describe('a replay', () => {
  it('makes one ended delivery again, with the same id and body', async () => {
    receiver.respondWith({ status: 500, body: 'out of\u0000 paper\n' });
    const event = under.request(receiver.url, { body: '{"a":"é"}' });
    await under.bus.publish([event]);
    const id = event.data.delivery_id;
    await over([id]);
    receiver.respondWith({});
    const { body: shown } = await under.internal('GET', `/operator/deliveries/${id}`);
    expect(shown).toMatchObject({
      waiting: null,
      ended: { outcome: 'dropped', attempts: 2, can_be_replayed: true },
      attempts: [
        { attempt: 1, response: 'out of paper', status: 500 },
        { attempt: 2, response: 'out of paper' },
      ],
    });
    const { status, body } = await under.internal('POST', `/operator/deliveries/${id}/replay`);
    expect(status).toBe(200);
    await over([body.delivery_id]);
    const [first, , again] = receiver.requests;
    expect(again!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(again!.body).toEqual(first!.body);
    expect(isSigned(again!)).toBe(true);
    expect(
      (await under.internal('GET', `/operator/deliveries/${body.delivery_id}`)).body.ended,
    ).toMatchObject({
      replay_of: id,
      outcome: 'succeeded',
    });
    expect((await under.internal('POST', `/operator/deliveries/${newId()}/replay`)).status).toBe(404);
  });

  it('makes those of an endpoint again by type, outcome and time, in batches, each once', async () => {
    receiver.respondWith({ status: 500 });
    const [webhookId, from] = [newId(), new Date(Date.now() - 1_000).toISOString()];
    const dropped = Array.from({ length: 510 }, (_, nth) =>
      under.request(receiver.url, {
        webhookId,
        eventType: nth < 505 ? 'message.bounced' : 'message.opened',
      }),
    );
    await under.bus.publish(dropped);
    await over(dropped.map(({ data }) => data.delivery_id));
    receiver.clear();
    receiver.respondWith({});
    const range = { endpoint_id: webhookId, event_type: 'message.bounced', outcome: 'dropped', from };
    const first = await replay(range);
    expect(first.body).toMatchObject({ replayed: 500, skipped: 0, next: expect.any(String) });
    const second = await replay({ ...first.body.range, after: first.body.next });
    expect(second.body).toMatchObject({ replayed: 5, skipped: 0, next: null });
    await receiver.waitFor(505);
    const ids = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
    expect(ids).toEqual(new Set(dropped.slice(0, 505).map(({ data }) => data.webhook_message_id)));
    expect((await replay({ endpoint_id: newId(), from })).body).toMatchObject({
      replayed: 0,
      skipped: 0,
      next: null,
    });
    expect((await replay({ endpoint_id: webhookId })).status).toBe(400);
    expect((await replay({ ...range, to: '2020-01-01T00:00:00Z' })).status).toBe(400);
  });

  it('makes again what a stopped webhook did not get', async () => {
    receiver.respondWith({ status: 500 });
    const webhookId = newId();
    const event = under.request(receiver.url, { webhookId, dueAt: new Date(Date.now() + 60_000) });
    await under.bus.publish([event]);
    const find = () => under.internal('GET', `/operator/deliveries/${event.data.delivery_id}`);
    await expect.poll(async () => (await find()).body.waiting).not.toBeNull();
    await under.stopWebhook(webhookId);
    await expect
      .poll(async () => (await find()).body.ended)
      .toMatchObject({ outcome: 'stopped', attempts: 0 });
    receiver.respondWith({});
    receiver.clear();
    await under.internal('POST', `/operator/deliveries/${event.data.delivery_id}/replay`);
    const [request] = await receiver.waitFor(1);
    expect(request!.headers['webhook-id']).toBe(event.data.webhook_message_id);
  });
});
