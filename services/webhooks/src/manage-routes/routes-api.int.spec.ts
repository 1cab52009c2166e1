import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId, WebhookDeliveryRequested, WebhookRecoveryRequested } from '@postmesh/contracts';
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
const create = (body: object, scopes?: string[]) => ask('POST', '', { body, scopes });
const lacks = (action: string) => ({
  message: `api key does not have sufficient permissions to ${action} routes`,
});
const INVALID = { message: 'invalid recipient: give <pattern>@<one of your domains>' };

async function made(body: object = {}): Promise<string> {
  const given = await create({ ...ROUTE, ...body });
  expect(given.status).toBe(201);
  return given.body.id;
}

describe('POST …/routes', () => {
  it('answers 201 with the route and, this once, its secret', async () => {
    const { status, body } = await create({ ...ROUTE, name: '  Tickets ', recipient: 'Ticket-*@A.Test.' });
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'route',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
      name: 'Tickets',
      url: 'https://shop.test/in',
      recipient: 'Ticket-*@a.test',
      attachments: false,
      headers: false,
      group_by_message_id: false,
      strip_replies: false,
      enabled: true,
      success_count: 0,
      error_count: 0,
      errors_since_last_success: 0,
      last_request_at: null,
      secret: expect.stringMatching(/^pm-rsec-[A-Za-z0-9]{32}$/),
    });
    const { secret, ...shown } = body;
    expect((await ask('GET', `/${body.id}`)).body).toEqual(shown);
    const asked = await under.internal('POST', '/internal/route-targets', { route_ids: [body.id, newId()] });
    const { sealed_secret, ...target } = asked.body.targets[0];
    expect([asked.body.targets.length, target]).toEqual([
      1,
      { route_id: body.id, url: body.url, attachments: false, headers: false, strip_replies: false },
    ]);
    expect(new SecretBox([KEY]).open(sealed_secret, `route/${body.id}`)).toBe(secret);
  });

  it.each([
    [{}, 'name is required'],
    [{ ...ROUTE, name: ' ' }, 'name must not be empty'],
    [{ ...ROUTE, name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
    [{ ...ROUTE, url: 'shop.test' }, 'invalid url (an absolute http or https URL)'],
    [{ ...ROUTE, url: 'ftp://shop.test/' }, 'invalid url (an absolute http or https URL)'],
    [{ ...ROUTE, url: 'http://127.0.0.1/' }, 'url must point to a public address'],
    [{ ...ROUTE, recipient: undefined }, 'recipient is required'],
    [{ ...ROUTE, recipient: null }, 'recipient must be a string'],
    [{ ...ROUTE, recipient: `${'x'.repeat(250)}@a.test` }, 'recipient must be at most 255 characters'],
    [{ ...ROUTE, recipient: 'support@*' }, INVALID.message],
    [{ ...ROUTE, headers: 'yes' }, 'headers must be a boolean'],
    [{ ...ROUTE, secret: 'x' }, 'secret is not writable'],
    [{ ...ROUTE, events: [] }, 'unknown field: events'],
  ])('refuses %j', async (body, message) => {
    const { status, body: given } = await create(body);
    expect([status, given]).toEqual([400, { message }]);
  });

  it('§13.3 rule 6: shape, then the scope of the domain, then its owner', async () => {
    const shape = await create({ ...ROUTE, recipient: 'support' }, A_ONLY);
    expect([shape.status, shape.body]).toEqual([400, INVALID]);
    const scope = await create({ ...ROUTE, recipient: 'x@nobody.test' }, A_ONLY);
    expect([scope.status, scope.body]).toEqual([403, lacks('write')]);
    const every = await create({ ...ROUTE, recipient: '' }, A_ONLY);
    expect([every.status, every.body]).toEqual([403, lacks('write')]);
    const owner = await create({ ...ROUTE, recipient: 'x@Nobody.test' });
    expect([owner.status, owner.body]).toEqual([400, { message: 'recipient domain not found: nobody.test' }]);
    expect((await create(ROUTE, A_ONLY)).status).toBe(201);
  });

  it('stops at the limit, also for creates at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => create(ROUTE)));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403]);
    const refused = all.find(({ status }) => status === 403);
    expect(refused?.body).toEqual({ message: 'route limit reached' });
    account_id = newId();
    expect((await create({ ...ROUTE, recipient: '' })).status).toBe(201);
  });

  it('a replay is for keys that may make the same route', async () => {
    const headers = { 'idempotency-key': newId() };
    const body = { ...ROUTE, recipient: 'x@b.test' };
    const first = await ask('POST', '', { body, headers });
    const again = await ask('POST', '', { body, headers });
    expect([again.status, again.text]).toEqual([201, first.text]);
    const weak = await ask('POST', '', { body, headers, scopes: A_ONLY });
    expect([weak.status, weak.body]).toEqual([403, lacks('write')]);
  });
});

describe('GET …/routes', () => {
  it('rule query-required: a key with domain scopes names one of its domains', async () => {
    const ids = [await made(), await made({ recipient: 'x@b.test' }), await made({ recipient: '' })];
    const idsOf = async (rest: string, scopes?: string[]) => {
      const { status, body } = await ask('GET', rest, { scopes });
      return [status, body.message ?? body.data.map(({ id }: { id: string }) => id)];
    };
    expect(await idsOf('')).toEqual([200, [...ids].reverse()]);
    expect(await idsOf('?domain=A.test')).toEqual([200, [ids[0]]]);
    expect(await idsOf('?domain=nobody.test')).toEqual([400, 'domain not found: nobody.test']);
    expect(await idsOf('?domain=a.test', A_ONLY)).toEqual([200, [ids[0]]]);
    for (const rest of ['', '?domain=', '?domain=b.test', '?domain=x']) {
      expect(await idsOf(rest, A_ONLY)).toEqual([403, lacks('read').message]);
    }
    expect(await idsOf('?domain=a.test', ['routes:write:all'])).toEqual([403, lacks('read').message]);
  });

  it('one is found by keys of its domain', async () => {
    const [a, b, every] = [
      await made(),
      await made({ recipient: 'x@b.test' }),
      await made({ recipient: '' }),
    ];
    const get = async (id: string) => (await ask('GET', `/${id}`, { scopes: A_ONLY })).status;
    expect([await get(a), await get(b), await get(every), await get(newId())]).toEqual([200, 403, 403, 404]);
    const foreign = await ask('GET', `/${a}`, { account_id: newId() });
    expect([foreign.status, foreign.body]).toEqual([404, { message: 'route not found' }]);
  });
});

describe('PUT …/routes/{id}', () => {
  const put = (id: string, body: object, scopes?: string[]) => ask('PUT', `/${id}`, { body, scopes });

  it('changes what is given', async () => {
    const id = await made({ headers: true });
    const before = (await ask('GET', `/${id}`)).body;
    expect((await put(id, {})).body).toEqual(before);
    const change = { name: 'New', recipient: '', attachments: true, headers: null };
    const { body } = await put(id, change);
    expect(body).toEqual({ ...before, ...change, headers: true, updated_at: body.updated_at });
    expect((await ask('GET', `/${id}`)).body).toEqual(body);
  });

  it('asks for the scope of the domain that is and of the one that is to be', async () => {
    const id = await made();
    const expectRefused = ({ status, body }: Awaited<ReturnType<typeof put>>) =>
      expect([status, body]).toEqual([403, lacks('write')]);
    expectRefused(await put(id, { recipient: 'x@b.test' }, A_ONLY));
    expectRefused(await put(id, { recipient: '' }, A_ONLY));
    expectRefused(await put(id, {}, ['routes:write:{b.test}']));
    expect((await put(id, { recipient: 'y@a.test' }, A_ONLY)).status).toBe(200);
    expect((await put(id, { recipient: 'y@b.test' }, [...A_ONLY, 'routes:write:{b.test}'])).status).toBe(200);
    expectRefused(await put(id, { recipient: 'y@a.test' }, A_ONLY));
    expect((await put(newId(), {})).status).toBe(404);
    const owner = await put(id, { recipient: 'y@nobody.test' });
    expect([owner.status, owner.body]).toEqual([400, { message: 'recipient domain not found: nobody.test' }]);
  });

  it('disabling drops what is due; enabling needs the domain', async () => {
    const id = await made();
    await put(id, { enabled: false });
    const stopped = await under.until(() =>
      stoppedWebhooks(under.published).find(({ webhook_id }) => webhook_id === id),
    );
    expect(stopped).toEqual({ webhook_id: id, reason: 'disabled' });
    expect((await under.internal('POST', '/internal/route-targets', { route_ids: [id] })).body).toEqual({
      targets: [],
    });
    under.owned.set(account_id, []);
    expect((await put(id, { name: 'Other' })).status).toBe(200);
    const late = await put(id, { enabled: true });
    expect([late.status, late.body]).toEqual([400, { message: 'recipient domain not found: a.test' }]);
    under.owned.set(account_id, ['a.test']);
    expect((await put(id, { enabled: true })).body).toMatchObject({ enabled: true, name: 'Other' });
  });

  it('changes at the same moment all count', async () => {
    const id = await made();
    const fields = ['attachments', 'headers', 'strip_replies'];
    await Promise.all(fields.map((field) => put(id, { [field]: true })));
    expect((await ask('GET', `/${id}`)).body).toMatchObject(
      Object.fromEntries(fields.map((field) => [field, true])),
    );
  });
});

describe('DELETE …/routes/{id}', () => {
  it('answers with a message, once, and drops what is due', async () => {
    const id = await made();
    const weak = await ask('DELETE', `/${id}`, { scopes: ['routes:delete:{b.test}'] });
    expect([weak.status, weak.body]).toEqual([403, lacks('delete')]);
    const gone = await ask('DELETE', `/${id}`, { scopes: A_ONLY });
    expect([gone.status, gone.body]).toEqual([200, { message: 'route deleted successfully' }]);
    expect((await ask('DELETE', `/${id}`)).body).toEqual({ message: 'route not found' });
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

  it('spec 2-messages §21: calls the route with a sample of what it wants', async () => {
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

it('POST …/routes/{id}/recover asks for what the route did not get', async () => {
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
