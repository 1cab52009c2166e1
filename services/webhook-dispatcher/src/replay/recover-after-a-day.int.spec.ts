import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startHttpReceiver, testDatabase, type HttpReceiver } from '@postmesh/testing';
import { startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';

const HOUR_S = 3_600;

const database = testDatabase();
let under: DispatcherUnderTest;
let receiver: HttpReceiver;

beforeAll(async () => {
  // three tries, so that some events use all of them within a day
  under = await startDispatcher(database.url, {
    logLevel: 'silent',
    webhookRetries: [5, 30],
    webhookRetryScale: 1,
    webhookProbeSeconds: 1_200,
  });
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await under.stop();
  await receiver.close();
});

it('spec 2-messages §18 rules 8 and 13: a receiver that was down for a day of a campaign has every event exactly once after a recover', async () => {
  const webhookId = newId();
  const all: string[] = [];
  const happen = async (count: number, more: { missed?: true; dueAt?: Date } = {}) => {
    const events = Array.from({ length: count }, () => under.request(receiver.url, { webhookId, ...more }));
    all.push(...events.map(({ data }) => data.webhook_message_id));
    await under.bus.publish(events);
  };
  /** the ids of the calls with status 200 */
  const got: string[] = [];
  let isDown = false;
  receiver.respondWith(({ headers }) => {
    if (!isDown) got.push(String(headers['webhook-id']));
    return { status: isDown ? 503 : 200 };
  });
  const outcomes = async (): Promise<Record<string, number>> => {
    const rows: { outcome: string; count: number }[] = await under.database.query(
      'select outcome, count(*)::int as count from ended_deliveries where replay_of is null group by outcome',
    );
    return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
  };

  // the campaign begins
  await happen(10);
  await under.until(() => under.attempts.length === 10);

  let probes = 0;
  const probe = async () => {
    probes += 1;
    const before = under.attempts.length;
    await under.skip(HOUR_S / 3);
    if ((await under.pending()).length > 0) await under.until(() => under.attempts.length > before);
  };

  // unavailable for twenty hours, with a probe every twenty minutes, until an event has used all of its tries
  isDown = true;
  for (let hour = 0; hour < 20; hour += 1) {
    await happen(1);
    for (let third = 0; third < 3; third += 1) await probe();
  }
  while (probes < 120 && (await outcomes())['dropped'] === undefined) await probe();
  const failed = under.attempts.filter(({ success }) => !success).length;
  // five failures make it failing, the other calls are probes
  expect(failed).toBeLessThanOrEqual(5 + probes);

  // its owner disables it for four hours: pending deliveries are stopped, new events are missed
  await happen(5);
  await expect.poll(async () => (await under.pending()).length).toBeGreaterThanOrEqual(5);
  under.targets.delete(webhookId);
  await under.stopWebhook(webhookId, 'disabled');
  await expect.poll(() => under.pending()).toEqual([]);
  for (let hour = 0; hour < 4; hour += 1) {
    await happen(2, { missed: true });
    await under.skip(HOUR_S);
  }
  await expect.poll(outcomes).toMatchObject({ succeeded: 10, missed: 8 });
  const { dropped = 0, stopped = 0 } = await outcomes();
  expect(dropped).toBeGreaterThan(0);
  expect(stopped).toBeGreaterThan(0);
  expect(dropped + stopped).toBe(25);
  expect(got).toHaveLength(10);

  // it is available and enabled again: nothing is sent without a recovery
  isDown = false;
  const late = new Date(Date.now() - 1_000);
  await happen(1);
  await under.until(() => got.length === 11);
  const since = new Date(Date.now() - 26 * HOUR_S * 1_000).toISOString();
  const wanted = { endpoint_id: webhookId, kind: 'recover', since };
  const { body } = await under.internal('POST', '/operator/replays', wanted);
  await under.until(() => got.length === 11 + 33);

  // an event from the disabled time arrives late from the bus: the second pass finds it
  await happen(1, { missed: true, dueAt: late });
  await expect.poll(outcomes).toMatchObject({ missed: 9 });
  await under.skip(180);
  await under.until(() => got.length === 11 + 34);
  await expect
    .poll(async () => (await under.internal('GET', `/operator/replays/${body.replay_id}`)).body)
    .toMatchObject({ state: 'done', replayed: 34, succeeded: 34, skipped: 0, pending: 0 });
  expect([...got].sort()).toEqual([...all].sort());
});
