import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId, WebhookDeliveryAttempted, WebhookDisabled, type EventEnvelope } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { startWebhooks, stoppedWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';

const database = testDatabase();
let under: WebhooksUnderTest;

beforeAll(async () => {
  under = await startWebhooks(database.url, { logLevel: 'silent' });
});
afterAll(() => under.stop());

async function webhook(): Promise<string> {
  const body = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'global' };
  return (await under.webhooks('POST', '', { body })).body.id;
}

const shown = async (id: string) => (await under.webhooks('GET', `/${id}`)).body;

/** 's f f' = a success and two failures, a second apart */
function attempts(webhook_id: string, text: string, target?: 'route'): EventEnvelope[] {
  return text.split(' ').map((word, second) =>
    WebhookDeliveryAttempted.make(
      {
        ...WebhookDeliveryAttempted.examples[0]!,
        delivery_id: newId(),
        webhook_id,
        ...(target ? { target } : {}),
        success: word === 's',
        attempted_at: new Date(1_767_225_600_000 + second * 1_000).toISOString(),
      },
      { account_id: under.accountId },
    ),
  );
}

const failures = (count: number) => Array.from({ length: count }, () => 'f').join(' ');
const count = (events: EventEnvelope[]) => deliver(under.service, events);

it('spec 2-messages §18 rule 7: counters move per attempt, several webhooks in one batch, each attempt once', async () => {
  const [one, two] = [await webhook(), await webhook()];
  const before = await shown(one);
  const events = [...attempts(one, 'f f s f'), ...attempts(two, 's'), ...attempts(newId(), 'f')];
  await count(events);
  await count(events);
  expect(await shown(one)).toEqual({
    ...before,
    success_count: 1,
    error_count: 3,
    errors_since_last_success: 1,
    last_request_at: '2026-01-01T00:00:03.000Z',
  });
  expect(await shown(two)).toMatchObject({ success_count: 1, error_count: 0 });
});

it('spec 2-messages §18 rule 8: the 101st failure in a row disables, and what is still due is dropped', async () => {
  const id = await webhook();
  await count(attempts(id, failures(60)));
  await count(attempts(id, failures(40)));
  expect(await shown(id)).toMatchObject({ enabled: true, errors_since_last_success: 100 });
  expect(stoppedWebhooks(under.published)).toEqual([]);
  await under.bus.publish(attempts(id, failures(1)));
  const stopped = await under.until(() => stoppedWebhooks(under.published)[0]);
  expect(stopped).toEqual({ webhook_id: id, reason: 'too-many-errors' });
  const told = await under.until(() =>
    under.published.find(({ type, key }) => type === WebhookDisabled.type && key === under.accountId),
  );
  expect(told?.data).toEqual({
    webhook_id: id,
    account_id: under.accountId,
    name: 'Hook',
    reason: 'too-many-errors',
  });
  expect(await shown(id)).toMatchObject({ enabled: false, error_count: 101, errors_since_last_success: 101 });
});

it('a disabled webhook still counts what was under way, and is not stopped twice', async () => {
  const id = await webhook();
  await count(attempts(id, failures(101)));
  await count(attempts(id, failures(2)));
  expect(await shown(id)).toMatchObject({ enabled: false, error_count: 103 });
  await under.until(() => stoppedWebhooks(under.published).some((stop) => stop.webhook_id === id));
  const { body } = await under.webhooks('PUT', `/${id}`, { body: { enabled: true } });
  expect(body).toMatchObject({ enabled: true, errors_since_last_success: 0 });
  await count(attempts(id, 'f'));
  expect(await shown(id)).toMatchObject({ enabled: true, errors_since_last_success: 1, error_count: 104 });
});

it('counting in several processes at once loses nothing', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, webhook));
  const second = await startWebhooks(database.url, { logLevel: 'silent' });
  try {
    const batches = Array.from({ length: 8 }, (_, nth) =>
      (nth % 2 === 0 ? ids : [...ids].reverse()).flatMap((id) => attempts(id, 's f')),
    );
    await Promise.all(batches.map((batch, nth) => deliver((nth % 2 === 0 ? under : second).service, batch)));
  } finally {
    await second.stop();
  }
  for (const id of ids) expect(await shown(id)).toMatchObject({ success_count: 8, error_count: 8 });
});

it('§13.5 rule 3: a route is counted and disabled like a webhook, and its people are told that it is a route', async () => {
  const body = { name: 'Tickets', url: 'https://shop.test/in', recipient: '' };
  const { id } = (await under.routes('POST', '', { body })).body;
  const hook = await webhook();
  await count([
    ...attempts(hook, 'f'),
    ...attempts(id, 's f', 'route'),
    ...attempts(hook, 's', 'route'),
    ...attempts(id, 'f'),
  ]);
  expect(await shown(hook)).toMatchObject({ success_count: 0, error_count: 1 });
  const route = async () => (await under.routes('GET', `/${id}`)).body;
  expect(await route()).toMatchObject({
    success_count: 1,
    error_count: 1,
    errors_since_last_success: 1,
    last_request_at: '2026-01-01T00:00:01.000Z',
  });
  await count(attempts(id, failures(99), 'route'));
  expect(await route()).toMatchObject({ enabled: true, errors_since_last_success: 100 });
  await count(attempts(id, 'f', 'route'));
  expect(await route()).toMatchObject({ enabled: false, error_count: 101 });
  const stopped = await under.until(() =>
    stoppedWebhooks(under.published).find(({ webhook_id }) => webhook_id === id),
  );
  expect(stopped).toEqual({ webhook_id: id, reason: 'too-many-errors' });
  const told = await under.until(() =>
    under.published.find(
      ({ type, data }) => type === WebhookDisabled.type && (data as { webhook_id: string }).webhook_id === id,
    ),
  );
  expect(told?.data).toMatchObject({ target: 'route', name: 'Tickets', account_id: under.accountId });
  await under.routes('PUT', `/${id}`, { body: { enabled: true } });
  expect(await route()).toMatchObject({ enabled: true, errors_since_last_success: 0, error_count: 101 });
});
