import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId, type EventEnvelope } from '@postmesh/contracts';
import { WebhookDeliveryAttempted } from '@postmesh/webhook-dispatcher-contract';
import { WebhookDisabled, WebhookFailing } from '@postmesh/webhooks-contract';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { FailingEndpoints } from '../failing-endpoints/failing-endpoints.js';
import { startWebhooks, stoppedWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';

const database = testDatabase();
let under: WebhooksUnderTest;

beforeAll(async () => {
  under = await startWebhooks(database.url, { logLevel: 'silent' });
});
afterAll(() => under.stop());

async function webhook(): Promise<string> {
  const body = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'global', on_failed: true };
  return (await under.webhooks('POST', '', { body })).body.id;
}

const shown = async (id: string) => (await under.webhooks('GET', `/${id}`)).body;

const BEGIN_MS = 1_767_225_600_000;
const HOUR_MS = 3_600_000;
const atHour = (hour: number) => new Date(BEGIN_MS + hour * HOUR_MS).toISOString();

/** 's f f' = a success and two failures, a second apart from the given hour on */
function attempts(webhook_id: string, text: string, target?: 'route', fromHour = 0): EventEnvelope[] {
  return text.split(' ').map((word, second) =>
    WebhookDeliveryAttempted.make(
      {
        ...WebhookDeliveryAttempted.examples[0]!,
        delivery_id: newId(),
        webhook_id,
        ...(target ? { target } : {}),
        success: word === 's',
        reason: word === 's' ? null : 'answered 503',
        attempted_at: new Date(BEGIN_MS + fromHour * HOUR_MS + second * 1_000).toISOString(),
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

const publishedAbout = (type: string, id: string) =>
  under.published.filter(
    (event) => event.type === type && (event.data as { webhook_id: string }).webhook_id === id,
  );

it('spec 2-messages §18 rule 8: an outage during a campaign disables nothing; failures for five days do, and pending calls end', async () => {
  const id = await webhook();
  await count(attempts(id, failures(300)));
  await count(attempts(id, failures(9), undefined, 119));
  expect(await shown(id)).toMatchObject({ enabled: true, errors_since_last_success: 309 });
  expect(stoppedWebhooks(under.published)).toEqual([]);
  await under.bus.publish(attempts(id, failures(1), undefined, 120));
  const stopped = await under.until(() => stoppedWebhooks(under.published)[0]);
  expect(stopped).toEqual({ webhook_id: id, reason: 'too-many-errors' });
  const [disabled] = await under.until(() => {
    const found = publishedAbout(WebhookDisabled.type, id);
    return found.length > 0 && found;
  });
  expect(disabled).toMatchObject({
    key: under.accountId,
    data: {
      webhook_id: id,
      account_id: under.accountId,
      name: 'Hook',
      reason: 'too-many-errors',
      failing_since: atHour(0),
      failures: 310,
      last_failure: 'answered 503',
    },
  });
  expect(await shown(id)).toMatchObject({ enabled: false, error_count: 310, errors_since_last_success: 310 });
});

it('a disabled webhook still counts calls in flight, and is not stopped twice; enabling it resets the counters', async () => {
  const id = await webhook();
  await count(attempts(id, failures(20)));
  await count(attempts(id, failures(1), undefined, 120));
  await count(attempts(id, failures(2), undefined, 121));
  expect(await shown(id)).toMatchObject({ enabled: false, error_count: 23 });
  await under.until(() => stoppedWebhooks(under.published).some((stop) => stop.webhook_id === id));
  const { body } = await under.webhooks('PUT', `/${id}`, { body: { enabled: true } });
  expect(body).toMatchObject({ enabled: true, errors_since_last_success: 0 });
  await count(attempts(id, failures(12), undefined, 240));
  expect(await shown(id)).toMatchObject({ enabled: true, errors_since_last_success: 12, error_count: 35 });
  expect(publishedAbout(WebhookDisabled.type, id)).toHaveLength(1);
});

it('spec 2-messages §18 rule 8: members are mailed once when every call has failed for an hour, and again only after a success', async () => {
  const id = await webhook();
  const notify = () => under.service.get(FailingEndpoints).notify(new AbortController().signal);
  await count(attempts(id, failures(5)));
  await under.service.get(DataSource).query('update webhooks set failing_since = now() where id = $1', [id]);
  const pass = (minutes: number) =>
    under.service
      .get(DataSource)
      .query('update webhooks set failing_since = now() - make_interval(mins => $2) where id = $1', [
        id,
        minutes,
      ]);
  await pass(59);
  await notify();
  expect(publishedAbout(WebhookFailing.type, id)).toEqual([]);
  await pass(61);
  await notify();
  await notify();
  const [first] = await under.until(() => {
    const found = publishedAbout(WebhookFailing.type, id);
    return found.length > 0 && found;
  });
  const { failing_since, disabled_from } = first!.data as { failing_since: string; disabled_from: string };
  expect(Date.parse(disabled_from) - Date.parse(failing_since)).toBe(120 * HOUR_MS);
  expect(first!.data).toMatchObject({ name: 'Hook', failures: 5, last_failure: 'answered 503' });
  await count(attempts(id, 's f f f f f'));
  await pass(61);
  await notify();
  await under.until(() => publishedAbout(WebhookFailing.type, id).length === 2);
});

it('failing and disabled endpoints are shown in plain text, with the commands that resolve it', async () => {
  const [failing, disabled] = [await webhook(), await webhook()];
  await count([
    ...attempts(failing, failures(5)),
    ...attempts(disabled, failures(20)),
    ...attempts(disabled, 'f', undefined, 120),
  ]);
  const request = { account_id: under.accountId };
  const { body } = await under.internal('POST', '/internal/endpoint-standings', request);
  const found = (id: string) => body.endpoints.find((one: { endpoint_id: string }) => one.endpoint_id === id);
  expect(found(disabled)).toMatchObject({
    target: 'webhook',
    name: 'Hook',
    host: 'shop.test',
    state: 'disabled',
    standing: expect.stringContaining(
      `every call has failed since ${atHour(0)} (21 in a row, the last one: answered 503)`,
    ),
    to_do: `npx postmesh webhook-enable ${disabled}; then npx postmesh webhook-recover ${disabled} --since ${atHour(0)}`,
  });
  expect(found(failing)).toMatchObject({
    state: 'failing',
    to_do: expect.stringContaining(`npx postmesh webhook-attempts ${failing}`),
  });
  const { body: doctor } = await under.internal('GET', '/operator/checks');
  expect(doctor.checks[0]).toMatchObject({ ok: false, check: 'every webhook and route succeeds' });
  expect(doctor.checks).toContainEqual({
    check: 'webhook Hook (shop.test) succeeds',
    ok: false,
    detail: expect.stringContaining(`npx postmesh webhook-enable ${disabled}`),
  });
  const metrics = await under.context.metrics.render();
  expect(metrics).toMatch(/^postmesh_webhook_endpoints\{state="disabled"\} [1-9]/m);
  expect(metrics).toMatch(/^postmesh_webhook_endpoints\{state="failing"\} [1-9]/m);
  expect(metrics).toMatch(/^postmesh_webhook_endpoints_failing_seconds [1-9]/m);
  await count([...attempts(failing, 's')]);
  const enabled = await under.internal('POST', `/operator/endpoints/${disabled}/enable`);
  expect(enabled).toMatchObject({ status: 200, body: { endpoint_id: disabled, enabled: true } });
  expect(await shown(disabled)).toMatchObject({ enabled: true, errors_since_last_success: 0 });
  for (const id of [failing, disabled]) {
    const one = await under.internal('POST', '/internal/endpoint-standings', { endpoint_id: id });
    expect(one.body.endpoints).toMatchObject([
      { endpoint_id: id, state: 'enabled', standing: null, to_do: null },
    ]);
  }
  expect((await under.internal('POST', `/operator/endpoints/${newId()}/enable`)).status).toBe(404);
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

it('a route is counted and disabled like a webhook, and the mail to its members names a route', async () => {
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
  await count(attempts(id, failures(200), 'route'));
  expect(await route()).toMatchObject({ enabled: true, errors_since_last_success: 201 });
  await count(attempts(id, 'f', 'route', 121));
  expect(await route()).toMatchObject({ enabled: false, error_count: 202 });
  const stopped = await under.until(() =>
    stoppedWebhooks(under.published).find(({ webhook_id }) => webhook_id === id),
  );
  expect(stopped).toEqual({ webhook_id: id, reason: 'too-many-errors' });
  const [disabled] = await under.until(() => {
    const found = publishedAbout(WebhookDisabled.type, id);
    return found.length > 0 && found;
  });
  expect(disabled!.data).toMatchObject({ target: 'route', name: 'Tickets', account_id: under.accountId });
  await under.routes('PUT', `/${id}`, { body: { enabled: true } });
  expect(await route()).toMatchObject({ enabled: true, errors_since_last_success: 0, error_count: 202 });
});
