import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startHttpReceiver, testDatabase, type HttpReceiver } from '@postmesh/testing';
import { startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';
import { DeliveryBacklog } from './delivery-backlog.js';
import { SetAsideDeliveries } from './set-aside-deliveries.js';

const MOST = 20;
const database = testDatabase();
let under: DispatcherUnderTest;
let receiver: HttpReceiver;

beforeAll(async () => {
  under = await startDispatcher(database.url, { webhookPending: MOST, logLevel: 'silent' });
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await under?.stop();
  await receiver?.close();
});

const look = () => under.service.get(DeliveryBacklog).look(new AbortController().signal);
const replay = () => under.service.get(SetAsideDeliveries).replayDue(new AbortController().signal);
const checks = async () => (await under.internal('GET', '/operator/checks')).body.checks as { ok: boolean }[];
const asideCount = async () => {
  const [row] = await under.database.query(
    `select count(*)::int as count from ended_deliveries where outcome = 'set-aside'`,
  );
  return row.count as number;
};
const idsOf = (events: readonly { data: { webhook_message_id: string } }[]) =>
  events.map(({ data }) => data.webhook_message_id).sort();
const received = () => receiver.requests.map(({ headers }) => headers['webhook-id']).sort();
/** @returns milliseconds until the receiver has it */
async function arrivedAfterMs(event: ReturnType<DispatcherUnderTest['request']>): Promise<number> {
  const begun = performance.now();
  await under.bus.publish([event]);
  await expect.poll(received, { interval: 5 }).toContain(event.data.webhook_message_id);
  return Math.round(performance.now() - begun);
}
/** makes the deliveries set aside some minutes older, so that the transactions of their writers have ended */
async function settle(): Promise<void> {
  await under.database.query(`update ended_deliveries set ended_at = ended_at - interval '5 minutes',
    requested_at = requested_at - interval '5 minutes' where outcome = 'set-aside'`);
  await under.database.query(`update set_aside_endpoints set first_at = first_at - interval '5 minutes',
    last_at = last_at - interval '5 minutes', leased_until = to_timestamp(0)`);
}

it('an account with too many pending deliveries gets each further one later, and other accounts get theirs now', async () => {
  const [accountId, webhookId] = [newId(), newId()];
  const later = new Date(Date.now() + 3_600_000);
  const many = Array.from({ length: MOST }, () =>
    under.request(receiver.url, { accountId, webhookId, dueAt: later }),
  );
  await under.bus.publish(many);
  await expect.poll(async () => (await under.pending()).length).toBe(MOST);
  await look();
  expect((await checks()).map(({ ok }) => ok)).toEqual([true, false]);
  const metrics = await under.context.metrics.render();
  expect(metrics).toContain(`postmesh_webhook_deliveries_pending ${MOST}`);
  expect(metrics).toContain(`postmesh_webhook_deliveries_of_one_account ${MOST}`);
  expect(metrics).toMatch(/postmesh_webhook_deliveries_oldest_seconds \d/);

  const alone = await arrivedAfterMs(under.request(receiver.url, { accountId: newId() }));
  receiver.clear();
  const further = Array.from({ length: 7 }, () => under.request(receiver.url, { accountId, webhookId }));
  const other = under.request(receiver.url, { accountId: newId() });
  await under.bus.publish(further);
  const overloaded = await arrivedAfterMs(other);
  process.stdout.write(`a delivery of another account: ${alone} ms alone, ${overloaded} ms overloaded\n`);
  expect(received()).toEqual(idsOf([other]));
  await expect.poll(asideCount).toBe(7);
  await expect.poll(() => under.pending()).toHaveLength(MOST);

  // still more than half of the limit: no replay
  await settle();
  await under.database.query(
    'delete from webhook_deliveries where id in (select id from webhook_deliveries limit 5)',
  );
  await look();
  expect(await under.pending()).toHaveLength(MOST - 5);

  await under.database.query('delete from webhook_deliveries');
  await look();
  expect((await checks()).map(({ ok }) => ok)).toEqual([true, true]);
  await expect.poll(received).toEqual(idsOf([...further, other]));
  // a look of the dispatcher itself may be in progress
  await expect.poll(() => under.database.query('select * from set_aside_endpoints')).toEqual([]);
  await replay();
  expect(received()).toEqual(idsOf([...further, other]));
});

it('deliveries set aside of a stopped webhook stay among the ended ones', async () => {
  receiver.clear();
  const [accountId, webhookId] = [newId(), newId()];
  const later = new Date(Date.now() + 3_600_000);
  await under.bus.publish(
    Array.from({ length: MOST }, () => under.request(receiver.url, { accountId, webhookId, dueAt: later })),
  );
  await expect.poll(async () => (await under.pending()).length).toBe(MOST);
  await look();
  const before = await asideCount();
  const [one] = [under.request(receiver.url, { accountId, webhookId })];
  await under.bus.publish([one]);
  await expect.poll(asideCount).toBe(before + 1);
  await under.stopWebhook(webhookId);
  await expect.poll(() => under.pending()).toEqual([]);
  await settle();
  await look();
  expect(receiver.requests).toEqual([]);
  const { body } = await under.internal('GET', `/operator/deliveries/${one.data.delivery_id}`);
  expect(body.ended).toMatchObject({ outcome: 'set-aside', attempts: 0, can_be_replayed: true });
});
