import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { SealUrls } from '../database/seal-urls.js';
import { startWebhooks, stoppedWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';

const database = testDatabase();
let under: WebhooksUnderTest;

beforeAll(async () => {
  under = await startWebhooks(database.url);
  under.owned.set(under.accountId, ['a.test', 'b.test', 'c.test']);
});
afterAll(() => under.stop());

const GLOBAL = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'global', on_opened: true };
const SCOPED = { ...GLOBAL, scope: 'scoped', domains: ['a.test', 'b.test'] };
const on = (family: 'read' | 'write' | 'delete', ...domains: string[]) =>
  domains.map((domain) => `webhooks:${family}:{${domain}}`);

async function made(body: object): Promise<string> {
  const { status, body: webhook } = await under.webhooks('POST', '', { body });
  expect(status).toBe(201);
  return webhook.id;
}

describe('POST …/webhooks', () => {
  it('scoped: a domain is named once, in its usual spelling', async () => {
    const id = await made({ ...SCOPED, domains: ['B.Test.', 'a.test', 'b.test'] });
    expect((await under.webhooks('GET', `/${id}`)).body.domains).toEqual(['b.test', 'a.test']);
  });

  it('global: domains are accepted, ignored, and returned as []', async () => {
    const { status, body } = await under.webhooks('POST', '', {
      body: { ...GLOBAL, domains: ['not-ours.test', 'no domain'] },
    });
    expect(status).toBe(201);
    expect(body.domains).toEqual([]);
  });

  it.each<[object, string]>([
    [{ ...GLOBAL, name: undefined }, 'name is required'],
    [{ ...GLOBAL, name: '' }, 'name must not be empty'],
    [{ ...GLOBAL, name: 'é'.repeat(256) }, 'name must be at most 255 characters'],
    [{ ...GLOBAL, name: 'a\u0000b' }, 'name must not contain a NUL character'],
    [{ ...GLOBAL, name: 7 }, 'name must be a string'],
    [{ ...GLOBAL, url: undefined }, 'url is required'],
    [{ ...GLOBAL, url: 'shop.test/hooks' }, 'invalid url (an absolute http or https URL)'],
    [{ ...GLOBAL, url: 'ftp://shop.test' }, 'invalid url (an absolute http or https URL)'],
    [{ ...GLOBAL, url: 'http://shop.test/\r\nx: y' }, 'invalid url (an absolute http or https URL)'],
    [{ ...GLOBAL, url: `http://shop.test/${'a'.repeat(2_048)}` }, 'url must be at most 2048 characters'],
    [{ ...GLOBAL, url: 'http://127.0.0.1/' }, 'url must point to a public address'],
    [{ ...GLOBAL, url: 'http://localhost:9000/' }, 'url must point to a public address'],
    [{ ...GLOBAL, url: 'http://[::ffff:10.0.0.1]/' }, 'url must point to a public address'],
    [{ ...GLOBAL, scope: undefined }, 'scope is required'],
    [{ ...GLOBAL, scope: 'all' }, 'scope must be one of: global, scoped'],
    [{ ...GLOBAL, scope: 'scoped' }, 'domains must not be empty'],
    [{ ...GLOBAL, scope: 'scoped', domains: [] }, 'domains must not be empty'],
    [{ ...SCOPED, domains: 'a.test' }, 'domains must be an array'],
    [{ ...SCOPED, domains: [1] }, 'domains[0] must be a string'],
    [{ ...SCOPED, domains: ['a.test', 'foreign.test'] }, "domain 'foreign.test' not found in this account"],
    [{ ...SCOPED, domains: ['localhost'] }, "domain 'localhost' not found in this account"],
    [{ ...GLOBAL, enabled: 'true' }, 'enabled must be a boolean'],
    [{ ...GLOBAL, on_failed: 1 }, 'on_failed must be a boolean'],
    [{ ...GLOBAL, secret: 'x' }, 'secret is not writable'],
    [{ ...GLOBAL, success_count: 0 }, 'success_count is not writable'],
    [{ ...GLOBAL, on_read: true }, 'unknown field: on_read'],
  ])('%j is 400', async (body, message) => {
    expect(await under.webhooks('POST', '', { body })).toMatchObject({ status: 400, body: { message } });
  });

  it('a name counts characters, not UTF-16 units', async () => {
    expect((await under.webhooks('POST', '', { body: { ...GLOBAL, name: '😀'.repeat(255) } })).status).toBe(
      201,
    );
  });

  it.each<[string, object, string[]]>([
    ['global without :all', GLOBAL, on('write', 'a.test', 'b.test')],
    ['one listed domain without its scope', SCOPED, on('write', 'a.test')],
    ['no write scope at all', SCOPED, ['webhooks:read:all', 'webhooks:delete:all']],
  ])('%s is 403', async (_, body, scopes) => {
    expect(await under.webhooks('POST', '', { body, scopes })).toMatchObject({
      status: 403,
      body: { message: 'api key does not have sufficient permissions to write webhooks' },
    });
  });

  it('with a scope for every listed domain is 201', async () => {
    const scopes = on('write', 'a.test', 'b.test');
    expect((await under.webhooks('POST', '', { body: SCOPED, scopes })).status).toBe(201);
  });

  it.each([
    ['webhooks', GLOBAL, 'webhook'],
    ['routes', { name: 'Route', url: GLOBAL.url, recipient: '' }, 'route'],
  ] as const)('seals the password of a URL of %s, and shows it nowhere', async (family, body, kind) => {
    const call = under[family];
    const sql = (text: string, ...parameters: unknown[]) =>
      under.service.get(DataSource).query(text, parameters);
    const called = async () => {
      const asked = { [`${kind}_ids`]: [id] };
      return (await under.internal('POST', `/internal/${kind}-targets`, asked)).body.targets[0].url;
    };
    const url = 'https://user:pass-word@shop.test/hooks';
    const shown = 'https://user:***@shop.test/hooks';
    const created = await call('POST', '', { body: { ...body, url } });
    const { id } = created.body;
    expect([created.status, created.body.url]).toEqual([201, shown]);
    expect((await call('GET', `/${id}`)).body.url).toBe(shown);
    expect(JSON.stringify(await sql(`select * from ${family} where id = $1`, id))).not.toContain('pass-word');
    expect(await called()).toBe(url);
    // the client writes back the shown URL
    expect((await call('PUT', `/${id}`, { body: { name: 'New', url: shown } })).body.url).toBe(shown);
    expect(await called()).toBe(url);
    const elsewhere = await call('PUT', `/${id}`, { body: { url: 'https://user:***@other.test/hooks' } });
    expect([elsewhere.status, elsewhere.body.message]).toEqual([
      400,
      'url must have its password, since its host or user changes',
    ]);
    expect((await call('PUT', `/${id}`, { body: { url: `${url}2`.replace('word', 'key') } })).status).toBe(
      200,
    );
    expect(await called()).toBe('https://user:pass-key@shop.test/hooks2');
    expect((await call('PUT', `/${id}`, { body: { url: GLOBAL.url } })).body.url).toBe(GLOBAL.url);
    expect(await called()).toBe(GLOBAL.url);
    // an operator enables it with its previous URL
    expect((await call('PUT', `/${id}`, { body: { url, enabled: false } })).status).toBe(200);
    expect((await under.internal('POST', `/operator/endpoints/${id}/enable`)).status).toBe(200);
    expect(await called()).toBe(url);
    // stored by the previous release
    await sql(`update ${family} set url = $2, sealed_url = null where id = $1`, id, url);
    await under.service.get(SealUrls).run(AbortSignal.timeout(10_000));
    expect((await call('GET', `/${id}`)).body.url).toBe(shown);
    expect(await called()).toBe(url);
    await call('DELETE', `/${id}`);
  });

  it('keeps the secret encrypted, and the replay of it too', async () => {
    const { body } = await under.webhooks('POST', '', {
      body: GLOBAL,
      headers: { 'idempotency-key': newId() },
    });
    const { DataSource } = await import('typeorm');
    const dataSource = under.service.get(DataSource);
    const kept = JSON.stringify([
      await dataSource.query('select * from webhooks where id = $1', [body.id]),
      await dataSource.query(`select encode(body, 'escape') from idempotency`),
    ]);
    expect(kept).toContain(body.id);
    expect(kept).not.toContain(body.secret);
  });
});

describe('GET …/webhooks/{id}', () => {
  it.each<[string, string[], number]>([
    [':all', ['webhooks:read:all'], 200],
    ['one of its domains', on('read', 'x.test', 'b.test'), 200],
    ['another domain', on('read', 'c.test'), 403],
    ['no read scope', ['webhooks:write:all'], 403],
  ])('with %s', async (_, scopes, status) => {
    const id = await made(SCOPED);
    const response = await under.webhooks('GET', `/${id}`, { scopes });
    expect(response.status).toBe(status);
    if (status === 403) {
      expect(response.body.message).toBe('api key does not have sufficient permissions to read webhooks');
    }
  });

  it('a global webhook needs :all', async () => {
    const id = await made(GLOBAL);
    expect((await under.webhooks('GET', `/${id}`, { scopes: on('read', 'a.test') })).status).toBe(403);
  });

  it('an unknown one is 404, a bad id 400, another account’s 404', async () => {
    const id = await made(GLOBAL);
    expect(await under.webhooks('GET', `/${newId()}`)).toMatchObject({
      status: 404,
      body: { message: 'webhook not found' },
    });
    expect(await under.webhooks('GET', '/7')).toMatchObject({
      status: 400,
      body: { message: 'invalid webhook_id' },
    });
    expect((await under.webhooks('GET', `/${id}`, { account_id: newId() })).status).toBe(404);
    expect((await under.webhooks('GET', `/${id.toUpperCase()}`)).status).toBe(200);
  });
});

describe('GET …/webhooks', () => {
  const account_id = newId();
  const names = async (rest: string, scopes?: string[]): Promise<string[]> => {
    const { status, body } = await under.webhooks('GET', rest, { account_id, ...(scopes ? { scopes } : {}) });
    expect(status).toBe(200);
    return body.data.map(({ name }: { name: string }) => name);
  };

  beforeAll(async () => {
    under.owned.set(account_id, ['a.test', 'b.test']);
    const bodies = [
      { ...GLOBAL, name: '1', enabled: false },
      { ...GLOBAL, name: '2', on_failed: true },
      { ...SCOPED, name: '3', domains: ['a.test'], on_failed: true },
      { ...SCOPED, name: '4', domains: ['a.test', 'b.test'] },
    ];
    for (const body of bodies) await under.webhooks('POST', '', { account_id, body });
  });

  it('shows all webhooks with :all, newest first, without secrets', async () => {
    expect(await names('')).toEqual(['4', '3', '2', '1']);
    const { body } = await under.webhooks('GET', '', { account_id });
    expect(body).toMatchObject({ object: 'list', pagination: { has_more: false } });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it.each<[string, string[]]>([
    ['?enabled=false', ['1']],
    ['?enabled=true', ['4', '3', '2']],
    ['?on_failed=true', ['3', '2']],
    ['?on_failed=true&enabled=true&limit=1', ['3']],
    ['?on_failed=false', ['4', '1']],
    ['?enabled=&on_failed=false&on_opened=&limit=&after=&before=&cursor=', ['4', '1']],
  ])('filters by %s', async (query, shown) => expect(await names(query)).toEqual(shown));

  it('shows with domain scopes only webhooks of these domains, no global ones', async () => {
    expect(await names('', on('read', 'b.test'))).toEqual(['4']);
    expect(await names('', on('read', 'a.test'))).toEqual(['4', '3']);
    expect(await names('', on('read', 'x.test'))).toEqual([]);
  });

  it('pages with cursors, filters kept', async () => {
    const first = await under.webhooks('GET', '?limit=1&on_failed=true', { account_id });
    const cursor = first.body.pagination.next_cursor;
    expect(await names(`?limit=1&on_failed=true&after=${cursor}`)).toEqual(['2']);
  });

  it.each<[string, string]>([
    ['?enabled=1', 'invalid enabled, must be true or false'],
    ['?on_opened=TRUE', 'invalid on_opened, must be true or false'],
    ['?limit=0', 'limit must be between 1 and 100'],
    ['?after=x', 'invalid cursor'],
  ])('%s is 400', async (query, message) => {
    expect(await under.webhooks('GET', query)).toMatchObject({ status: 400, body: { message } });
  });

  it('without any read scope is 403', async () => {
    expect((await under.webhooks('GET', '', { scopes: ['webhooks:write:all'] })).status).toBe(403);
  });
});

describe('PUT …/webhooks/{id}', () => {
  it('changes the given fields, keeps the others, shows no secret', async () => {
    const id = await made({ ...SCOPED, on_failed: true });
    const before = (await under.webhooks('GET', `/${id}`)).body;
    const { status, body } = await under.webhooks('PUT', `/${id}`, {
      body: { name: 'New', on_failed: null, on_bounced: true, domains: null },
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, name: 'New', on_bounced: true, updated_at: body.updated_at });
    expect((await under.webhooks('GET', `/${id}`)).body).toEqual(body);
  });

  it('{} is 200', async () => {
    const id = await made(GLOBAL);
    expect((await under.webhooks('PUT', `/${id}`, { body: {} })).status).toBe(200);
  });

  it.each<[string, object, object, object]>([
    ['domains are replaced', SCOPED, { domains: ['c.test'] }, { scope: 'scoped', domains: ['c.test'] }],
    ['global ignores them', GLOBAL, { domains: ['c.test'] }, { scope: 'global', domains: [] }],
  ])('%s', async (_, before, change, after) => {
    const id = await made(before);
    const { status, body } = await under.webhooks('PUT', `/${id}`, { body: change });
    expect(status).toBe(200);
    expect(body).toMatchObject(after);
  });

  it.each<[string, object, object, string]>([
    [
      'an unknown domain',
      SCOPED,
      { domains: ['foreign.test'] },
      "domain 'foreign.test' not found in this account",
    ],
    ['a private address', GLOBAL, { url: 'http://10.0.0.1/' }, 'url must point to a public address'],
    ['the secret', GLOBAL, { secret: 'mine' }, 'secret is not writable'],
  ])('%s is 400', async (_, before, change, message) => {
    const id = await made(before);
    expect(await under.webhooks('PUT', `/${id}`, { body: change })).toMatchObject({
      status: 400,
      body: { message },
    });
  });

  it.each<[string, object, object, string[], number]>([
    ['one of its domains, nothing new', SCOPED, { name: 'x' }, on('write', 'a.test'), 200],
    ['a kept domain without scope', SCOPED, { domains: ['b.test'] }, on('write', 'a.test'), 200],
    ['a new domain with scope', SCOPED, { domains: ['c.test'] }, on('write', 'a.test', 'c.test'), 200],
    ['a new domain without scope', SCOPED, { domains: ['c.test'] }, on('write', 'a.test'), 403],
    ['none of its domains', SCOPED, { domains: ['c.test'] }, on('write', 'c.test'), 403],
    ['a global one without :all', GLOBAL, { name: 'x' }, on('write', 'a.test'), 403],
    ['to scoped without :all', GLOBAL, { scope: 'scoped', domains: ['a.test'] }, on('write', 'a.test'), 403],
  ])('with %s', async (_, before, change, scopes, status) => {
    const id = await made(before);
    expect((await under.webhooks('PUT', `/${id}`, { body: change, scopes })).status).toBe(status);
  });

  it('404 comes before the domain-aware 403, after the body', async () => {
    const scopes = on('write', 'a.test');
    expect((await under.webhooks('PUT', `/${newId()}`, { body: { name: 'x' }, scopes })).status).toBe(404);
    expect((await under.webhooks('PUT', `/${newId()}`, { body: { name: 1 }, scopes })).status).toBe(400);
  });

  it('disabling drops pending calls; enabling again resets the failures', async () => {
    const id = await made(GLOBAL);
    const { DataSource } = await import('typeorm');
    await under.service
      .get(DataSource)
      .query('update webhooks set errors_since_last_success = 7, error_count = 9 where id = $1', [id]);
    expect(
      (await under.webhooks('PUT', `/${id}`, { body: { enabled: true } })).body.errors_since_last_success,
    ).toBe(7);
    await under.webhooks('PUT', `/${id}`, { body: { enabled: false } });
    await under.until(() => stoppedWebhooks(under.published).some((stop) => stop.webhook_id === id));
    await under.webhooks('PUT', `/${id}`, { body: { enabled: false } });
    const { body } = await under.webhooks('PUT', `/${id}`, { body: { enabled: true } });
    expect(body).toMatchObject({ enabled: true, errors_since_last_success: 0, error_count: 9 });
    expect(stoppedWebhooks(under.published).filter((stop) => stop.webhook_id === id)).toEqual([
      { webhook_id: id, reason: 'disabled' },
    ]);
  });

  it('loses no change of two concurrent clients', async () => {
    const id = await made(GLOBAL);
    const flags = ['on_opened', 'on_clicked', 'on_failed', 'on_bounced'];
    const answers = await Promise.all(
      flags.map((flag) => under.webhooks('PUT', `/${id}`, { body: { [flag]: true } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await under.webhooks('GET', `/${id}`)).body).toMatchObject(
      Object.fromEntries(flags.map((flag) => [flag, true])),
    );
  });
});

describe('DELETE …/webhooks/{id}', () => {
  it('answers a message, then 404, and drops pending calls', async () => {
    const id = await made(SCOPED);
    expect(await under.webhooks('DELETE', `/${id}`, { scopes: on('delete', 'b.test') })).toMatchObject({
      status: 200,
      body: { message: 'webhook deleted successfully' },
    });
    expect((await under.webhooks('DELETE', `/${id}`)).status).toBe(404);
    const stopped = await under.until(() =>
      stoppedWebhooks(under.published).find((stop) => stop.webhook_id === id),
    );
    expect(stopped.reason).toBe('deleted');
  });

  it('needs :all for a global one, one of its domains for a scoped one', async () => {
    const refused = { message: 'api key does not have sufficient permissions to delete webhooks' };
    const global = await made(GLOBAL);
    const scoped = await made(SCOPED);
    const scopes = on('delete', 'c.test');
    for (const id of [global, scoped]) {
      expect(await under.webhooks('DELETE', `/${id}`, { scopes })).toMatchObject({
        status: 403,
        body: refused,
      });
    }
  });
});

it('a webhook that was changed or called is given to the stream of the console', async () => {
  const id = await made(GLOBAL);
  const since = new Date(Date.now() - 60_000).toISOString();
  const changes = async (account = under.accountId) =>
    (await under.internal('GET', `/internal/accounts/${account}/recent-changes?since=${since}`)).body.changes;
  expect(await changes()).toContainEqual(expect.objectContaining({ kind: 'webhook', id, state: 'enabled' }));
  await under.service
    .get(DataSource)
    .query(
      `update webhooks set updated_at = now() - interval '1 hour', last_request_at = now(), errors_since_last_success = 1 where id = $1`,
      [id],
    );
  expect(await changes()).toContainEqual(expect.objectContaining({ id, state: 'failing' }));
  expect(await changes(newId())).toEqual([]);
});
