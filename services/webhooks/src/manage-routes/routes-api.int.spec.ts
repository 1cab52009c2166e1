import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { WebhookDeliveryRequested, WebhookRecoveryRequested } from '@postmesh/webhooks-contract';
import { SecretBox } from '@postmesh/secrets';
import { testDatabase } from '@postmesh/testing';
import { startWebhooks, stoppedWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';

const database = testDatabase();
const KEY = 'the-key-of-the-first-year-long-enough';
let under: WebhooksUnderTest;
let account_id: string;

beforeAll(async () => {
  under = await startWebhooks(database.url, { secretKeys: [KEY], routeLimit: 3 });
});
afterAll(() => under.stop());
beforeEach(() => {
  account_id = newId();
  under.owned.set(account_id, ['a.test', 'b.test']);
});

const ROUTE = { name: 'Tickets', url: 'https://shop.test/in', recipient: 'ticket-*@a.test' };
const A_ONLY = ['read', 'write', 'delete'].map((action) => `routes:${action}:{a.test}`);
const ask = (...[method, rest, more]: Parameters<WebhooksUnderTest['routes']>) =>
  under.routes(method, rest, { account_id, ...more });
const create = (body: object) => ask('POST', '', { body });
const lacks = (action: string) => ({
  message: `api key does not have sufficient permissions to ${action} routes`,
});

async function made(body: object = {}): Promise<string> {
  const given = await create({ ...ROUTE, ...body });
  expect(given.status).toBe(201);
  return given.body.id;
}

describe('POST …/routes', () => {
  it('its target, as read by the dispatcher, has the secret sealed', async () => {
    const { status, body } = await create(ROUTE);
    expect(status).toBe(201);
    const asked = await under.internal('POST', '/internal/route-targets', { route_ids: [body.id, newId()] });
    const { sealed_secret, ...target } = asked.body.targets[0];
    expect([asked.body.targets.length, target]).toEqual([
      1,
      { route_id: body.id, url: body.url, attachments: false, headers: false, strip_replies: false },
    ]);
    expect(new SecretBox([KEY]).open(sealed_secret, `route/${body.id}`)).toBe(body.secret);
  });

  it('refuses an address that is not public', async () => {
    const { status, body } = await create({ ...ROUTE, url: 'http://127.0.0.1/' });
    expect([status, body]).toEqual([400, { message: 'url must point to a public address' }]);
  });

  it('stops at the limit, also for concurrent creates', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => create(ROUTE)));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403]);
    const refused = all.find(({ status }) => status === 403);
    expect(refused?.body).toEqual({ message: 'route limit reached' });
    account_id = newId();
    expect((await create({ ...ROUTE, recipient: '' })).status).toBe(201);
  });
});

describe('PUT …/routes/{id}', () => {
  const put = (id: string, body: object) => ask('PUT', `/${id}`, { body });

  it('disabling drops pending calls', async () => {
    const id = await made();
    await put(id, { enabled: false });
    const stopped = await under.until(() =>
      stoppedWebhooks(under.published).find(({ webhook_id }) => webhook_id === id),
    );
    expect(stopped).toEqual({ webhook_id: id, reason: 'disabled' });
    expect((await under.internal('POST', '/internal/route-targets', { route_ids: [id] })).body).toEqual({
      targets: [],
    });
  });

  it('concurrent changes are all kept', async () => {
    const id = await made();
    const fields = ['attachments', 'headers', 'strip_replies'];
    await Promise.all(fields.map((field) => put(id, { [field]: true })));
    expect((await ask('GET', `/${id}`)).body).toMatchObject(
      Object.fromEntries(fields.map((field) => [field, true])),
    );
  });
});

describe('DELETE …/routes/{id}', () => {
  it('drops pending calls', async () => {
    const id = await made();
    expect((await ask('DELETE', `/${id}`, { scopes: A_ONLY })).status).toBe(200);
    const stopped = await under.until(() =>
      stoppedWebhooks(under.published).find(({ webhook_id }) => webhook_id === id),
    );
    expect(stopped).toEqual({ webhook_id: id, reason: 'deleted' });
  });
});

describe('POST …/routes/{id}/trigger', () => {
  const callOf = (id: string) =>
    under.published
      .filter(({ type }) => type === WebhookDeliveryRequested.type)
      .map((event) => WebhookDeliveryRequested.parse(event).data)
      .find(({ webhook_id }) => webhook_id === id);

  it('spec 2-messages §21: calls the route with a sample according to its flags', async () => {
    const id = await made({ headers: true, attachments: true, strip_replies: true });
    const { status, body } = await ask('POST', `/${id}/trigger`, { scopes: A_ONLY, text: '' });
    expect([status, body]).toEqual([202, { message: 'sample message queued' }]);
    const call = await under.until(() => callOf(id));
    expect(call).toMatchObject({
      host: 'shop.test',
      event_type: 'message.routing',
      webhook_message_id: `msg_${call?.delivery_id.replaceAll('-', '')}`,
      route: { to: 'ticket-sample@a.test' },
    });
    const payload = JSON.parse(call?.body ?? '');
    expect(payload).toMatchObject({
      type: 'message.routing',
      route_id: id,
      data: { id: expect.stringMatching(/^[0-9a-f]{32}$/), to: 'ticket-sample@a.test', bounce: false },
    });
    expect(payload.data.attachments).toHaveLength(1);
    expect(payload.data.headers.Subject).toBe('A sample message');
  });

  it('needs the write scope and an enabled route, and takes no fields', async () => {
    const id = await made({ enabled: false });
    const trigger = (body: object, scopes?: string[]) => ask('POST', `/${id}/trigger`, { body, scopes });
    expect((await trigger({}, ['routes:read:all'])).status).toBe(403);
    expect((await trigger({}, ['routes:write:{b.test}'])).body).toEqual(lacks('write'));
    expect((await trigger({ x: 1 })).body).toEqual({ message: 'unknown field: x' });
    const { status, body } = await trigger({});
    expect([status, body]).toEqual([409, { message: 'route is disabled' }]);
    expect((await ask('POST', `/${newId()}/trigger`, { body: {} })).status).toBe(404);
  });
});

it('POST …/routes/{id}/recover requests the missed events of the route', async () => {
  const id = await made({});
  expect((await ask('POST', `/${id}/recover`, { text: '', scopes: ['routes:write:{b.test}'] })).body).toEqual(
    lacks('write'),
  );
  const { status, body } = await ask('POST', `/${id}/recover`, { text: '', scopes: A_ONLY });
  expect([status, body]).toEqual([202, { message: 'recovery started' }]);
  const [event] = await under.until(() => {
    const events = under.published.filter(
      ({ type, key }) => type === WebhookRecoveryRequested.type && key === id,
    );
    return events.length > 0 && events;
  });
  expect(event!.data).toMatchObject({ webhook_id: id, target: 'route' });
  const disabled = await ask('POST', `/${await made({ enabled: false })}/recover`, { text: '' });
  expect([disabled.status, disabled.body]).toEqual([409, { message: 'route is disabled' }]);
  expect((await ask('POST', `/${newId()}/recover`, { text: '' })).status).toBe(404);
});
