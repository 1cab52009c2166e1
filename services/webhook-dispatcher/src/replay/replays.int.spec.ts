import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { WebhookRecoveryRequested } from '@postmesh/webhooks-contract';
import { startHttpReceiver, testDatabase, type HttpReceiver } from '@postmesh/testing';
import {
  heldResponse,
  isSigned,
  startDispatcher,
  type DispatcherUnderTest,
} from '../testing/dispatcher-under-test.js';
import { ReplayDeliveries, type ReplayRange } from './replay-deliveries.js';

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
const yesterday = () => new Date(Date.now() - 86_400_000).toISOString();
const start = (wanted: object) => under.internal('POST', '/operator/replays', wanted);
const kept = async (webhookId: string) => {
  const sql = 'select count(*)::int as count from ended_deliveries where endpoint_id = $1';
  return (await under.database.query(sql, [webhookId]))[0].count;
};
const progress = async (id: string) => (await under.internal('GET', `/operator/replays/${id}`)).body;

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

  it('spec 2-messages §18 rule 13: recovers deliveries without success, in batches, each once, and replays all on request', async () => {
    const webhookId = newId();
    const since = new Date(Date.now() - 1_000).toISOString();
    const request = (eventType: string, more: { missed?: true } = {}) =>
      under.request(receiver.url, { webhookId, eventType, ...more });
    const good = [request('message.opened'), request('message.bounced')];
    await under.bus.publish(good);
    await over(good.map(({ data }) => data.delivery_id));
    receiver.respondWith({ status: 500 });
    const dropped = [1, 2, 3].map(() => request('message.bounced'));
    await under.bus.publish(dropped);
    await over(dropped.map(({ data }) => data.delivery_id));
    // it was disabled for a while
    const missed = Array.from({ length: 507 }, () => request('message.bounced', { missed: true }));
    await under.bus.publish(missed);
    await expect.poll(() => kept(webhookId)).toBe(512);
    receiver.clear();
    receiver.respondWith({});
    const { status, body } = await start({ endpoint_id: webhookId, kind: 'recover', since });
    expect(status).toBe(202);
    expect(body).toMatchObject({ endpoint_id: webhookId, kind: 'recover', state: 'running' });
    expect((await start({ endpoint_id: webhookId, kind: 'all', since })).status).toBe(409);
    await receiver.waitFor(510);
    await expect
      .poll(() => progress(body.replay_id))
      .toMatchObject({ replayed: 510, skipped: 0, succeeded: 510, pending: 0 });
    await under.skip(130);
    await expect.poll(() => progress(body.replay_id)).toMatchObject({ state: 'done', replayed: 510 });
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(510);
    expect(new Set(ids)).toEqual(new Set([...dropped, ...missed].map(({ data }) => data.webhook_message_id)));
    const again = await start({ endpoint_id: webhookId, kind: 'recover', since: yesterday() });
    await under.skip(130);
    await expect.poll(() => progress(again.body.replay_id)).toMatchObject({ state: 'done', replayed: 0 });
    receiver.clear();
    const wanted = { endpoint_id: webhookId, kind: 'all', since: yesterday(), event_type: 'message.opened' };
    await start(wanted);
    await receiver.waitFor(1);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([
      good[0]!.data.webhook_message_id,
    ]);
  });

  it('spec 2-messages §18 rule 13: a member of the account can start it, too; a second request restarts it from the earlier time', async () => {
    const webhookId = newId();
    const missed = [1, 2].map(() => under.request(receiver.url, { webhookId, missed: true }));
    const waiting = under.request(receiver.url, { webhookId, dueAt: new Date(Date.now() + 3_600_000) });
    await under.bus.publish([...missed, waiting]);
    const ask = (since: string) => {
      const data = { replay_id: newId(), webhook_id: webhookId, since };
      return under.bus.publish([WebhookRecoveryRequested.make(data, { account_id: newId() })]);
    };
    await ask(new Date().toISOString());
    await ask(yesterday());
    // deliveries that wait for their next try are made, too
    await receiver.waitFor(3);
    const path = `/operator/replays?endpoint_id=${webhookId}`;
    expect((await under.internal('GET', path)).body.replays).toMatchObject([
      { kind: 'recover', state: 'running', replayed: 2 },
    ]);
    await under.stopWebhook(webhookId, 'disabled');
    await expect
      .poll(async () => (await under.internal('GET', path)).body.replays)
      .toMatchObject([{ state: 'stopped' }]);
  });

  it('spec 2-messages §18 rule 13: that is requested while one of another kind is running begins when that is done', async () => {
    const webhookId = newId();
    const missed = [1, 2].map(() => under.request(receiver.url, { webhookId, missed: true }));
    await under.bus.publish(missed);
    await expect.poll(() => kept(webhookId)).toBe(2);
    const all = { endpoint_id: webhookId, kind: 'all', since: yesterday(), event_type: 'message.opened' };
    const running = (await start(all)).body.replay_id;
    const ask = (since: string) => {
      const data = { replay_id: newId(), webhook_id: webhookId, since };
      return under.bus.publish([WebhookRecoveryRequested.make(data, { account_id: newId() })]);
    };
    await ask(new Date().toISOString());
    await ask(yesterday());
    const states = async () =>
      (await under.internal('GET', `/operator/replays?endpoint_id=${webhookId}`)).body.replays.map(
        ({ kind, state }: { kind: string; state: string }) => `${kind} ${state}`,
      );
    await expect.poll(states).toEqual(['recover waiting', 'all running']);
    expect(receiver.requests).toEqual([]);
    await under.skip(130);
    await expect.poll(() => progress(running)).toMatchObject({ state: 'done' });
    await receiver.waitFor(2);
    // what was requested before it is settled by then: its second pass follows at once
    await expect.poll(states).toEqual(['recover done', 'all done']);
  });

  describe('of one endpoint, two at a time:', () => {
    const rangeOf = (endpointId: string): ReplayRange => {
      const all = { since: new Date(yesterday()), until: null, eventType: null, after: null, replayId: null };
      return { endpointId, kind: 'recover', ...all };
    };
    const missedOne = async () => {
      const webhookId = newId();
      const event = under.request(receiver.url, { webhookId, missed: true });
      await under.bus.publish([event]);
      await expect.poll(() => kept(webhookId)).toBe(1);
      return { webhookId, id: event.data.delivery_id };
    };

    it('a call that succeeds while a batch is read is not repeated', async () => {
      const { webhookId, id } = await missedOne();
      const { until, respond } = heldResponse();
      receiver.respondWith({ until });
      const { body } = await under.internal('POST', `/operator/deliveries/${id}/replay`);
      await receiver.waitFor(1);
      const batch = await under.database.transaction((tx) => {
        const query = async (text: string, parameters: unknown[]) => {
          const rows = await tx.query(text, parameters);
          if (!text.includes('from ended_deliveries')) return rows;
          respond();
          await over([body.delivery_id]);
          return rows;
        };
        const manager = Object.create(tx, { query: { value: query } });
        return under.service.get(ReplayDeliveries).batch(manager, rangeOf(webhookId));
      });
      expect(batch).toMatchObject({ replayed: 0, skipped: 1 });
    });

    it('the later batch sees what the first one has made pending', async () => {
      const { webhookId } = await missedOne();
      const replays = under.service.get(ReplayDeliveries);
      const batch = () => under.database.transaction((tx) => replays.batch(tx, rangeOf(webhookId)));
      const waiting = async () => {
        const [row] = await under.database.query(
          `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
        return row.count;
      };
      let later: ReturnType<typeof batch> | undefined;
      const first = await under.database.transaction(async (tx) => {
        const made = await replays.batch(tx, rangeOf(webhookId));
        later = batch();
        await expect.poll(waiting).toBe(1);
        return made;
      });
      expect([first, await later]).toMatchObject([
        { replayed: 1, skipped: 0 },
        { replayed: 0, skipped: 1 },
      ]);
    });
  });

  it('is refused for a disabled endpoint, and without a time', async () => {
    const wanted = { endpoint_id: newId(), kind: 'recover', since: yesterday() };
    expect(await start(wanted)).toMatchObject({
      status: 409,
      body: { message: 'it is disabled or deleted: enable it first' },
    });
    expect((await start({ ...wanted, since: undefined })).status).toBe(400);
    expect((await under.internal('GET', `/operator/replays/${newId()}`)).status).toBe(404);
  });

  it('makes the missed deliveries of a stopped webhook', async () => {
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
