import { beforeAll, describe, expect, it } from 'vitest';
import { newChild } from './families.js';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  uniqueDomain,
  UUID_V7,
  type Account,
  type ApiKey,
  type HttpResponse,
} from './harness.js';

const postmesh = sharedInstallation();
const NONE = '0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d';

let account: Account;
let one: string;
let two: string;
beforeAll(async () => {
  account = await postmesh.newAccount();
  [one, two] = [await newDomain(), await newDomain()];
});

async function newDomain(of = account): Promise<string> {
  const domain = uniqueDomain();
  expect((await postmesh.api(of.key, 'POST', '{A}/domains', { body: { domain } })).status).toBe(201);
  return domain;
}

const keyWith = (...scopes: string[]) =>
  postmesh.newKey(account, { scopes: scopes.map((scope) => `routes:${scope}`) });
const create = (body: object, key: ApiKey = account.key) =>
  postmesh.api(key, 'POST', '{A}/routes', {
    body: { name: 'n', url: 'https://hooks.example.com/in', recipient: `*@${one}`, ...body },
  });
const on = (method: string, id: string, body?: object, key: ApiKey = account.key) =>
  postmesh.api(key, method, `{A}/routes/${id}`, { body });
const list = (query = '', key: ApiKey = account.key) => postmesh.api(key, 'GET', `{A}/routes${query}`);
const idsOf = ({ body }: HttpResponse): string[] => body.data.map(({ id }: { id: string }) => id);
const made = async (body: object = {}, of: ApiKey = account.key): Promise<HttpResponse['body']> => {
  const response = await create(body, of);
  expect([response.status, response.body.message]).toEqual([201, undefined]);
  return response.body;
};
const lacks = (action: string) => `api key does not have sufficient permissions to ${action} routes`;
const INVALID = 'invalid recipient: give <pattern>@<one of your domains>';

describe('§13.1 resource', () => {
  it('§13.1 create answers every field of the table and the secret, which nothing else shows', async () => {
    const { secret, ...shown } = await made({ name: `  ${'é'.repeat(255)} ` });
    expect(shown).toEqual({
      object: 'route',
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      name: 'é'.repeat(255),
      url: 'https://hooks.example.com/in',
      recipient: `*@${one}`,
      attachments: false,
      headers: false,
      group_by_message_id: false,
      strip_replies: false,
      enabled: true,
      success_count: 0,
      error_count: 0,
      errors_since_last_success: 0,
      last_request_at: null,
    });
    expect(shown.updated_at).toBe(shown.created_at);
    expect(secret).toMatch(/^pm-rsec-[A-Za-z0-9]{32}$/);
    expect((await on('GET', shown.id)).body).toEqual(shown);
    const all = await list(`?domain=${one}`);
    expect(all.body.data).toContainEqual(shown);
    expect((await on('PUT', shown.id, { name: 'other' })).bytes.toString()).not.toContain('rsec');
    const [row] = await postmesh.sql<{ text: string }>(
      'select r::text as text from webhooks.routes r where id = $1',
      [shown.id],
    );
    expect(row?.text).not.toContain(secret);
  });

  it('§13.1 flags are as given, and null is the default', async () => {
    const flags = { attachments: true, headers: true, group_by_message_id: true, strip_replies: true };
    expect(await made({ ...flags, enabled: false })).toMatchObject({ ...flags, enabled: false });
    expect(await made({ attachments: null, enabled: null })).toMatchObject({
      attachments: false,
      enabled: true,
    });
  });
});

describe('§13.2 operations', () => {
  it.each<[object, string]>([
    [{ name: undefined }, 'name is required'],
    [{ name: ' ' }, 'name must not be empty'],
    [{ name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
    [{ url: undefined }, 'url is required'],
    [{ url: 'hooks.example.com' }, 'invalid url (an absolute http or https URL)'],
    [{ url: '/in' }, 'invalid url (an absolute http or https URL)'],
    [{ url: 'ftp://hooks.example.com/' }, 'invalid url (an absolute http or https URL)'],
    [{ url: 'javascript:x' }, 'invalid url (an absolute http or https URL)'],
    [{ url: 'https://x.test/'.padEnd(2_049, 'x') }, 'url must be at most 2048 characters'],
    [{ recipient: undefined }, 'recipient is required'],
    [{ recipient: 7 }, 'recipient must be a string'],
    [{ recipient: null }, 'recipient must be a string'],
    [{ recipient: 'x'.repeat(256) }, 'recipient must be at most 255 characters'],
    [{ headers: 'true' }, 'headers must be a boolean'],
    [{ secret: 'mine' }, 'secret is not writable'],
    [{ success_count: 1 }, 'success_count is not writable'],
    [{ domains: [] }, 'unknown field: domains'],
  ])('§13.2 create refuses case %#: %j', async (body, message) => {
    expectError(await create(body), 400, message);
  });

  it('§13.2 the longest fields are taken', async () => {
    const url = 'https://x.test/'.padEnd(2_048, 'x');
    const recipient = `${'*'.repeat(254 - one.length)}@${one}`;
    expect(await made({ url, recipient })).toMatchObject({ url, recipient });
  });

  it('§13.2 list: all with :all, newest first, or those of one domain that the account has', async () => {
    const own = await postmesh.newAccount();
    const [a, b] = [await newDomain(own), await newDomain(own)];
    const ids = [];
    for (const recipient of [`x@${a}`, `*@${b}`, '', `y@${a}`])
      ids.push((await made({ recipient }, own.key)).id);
    expect(idsOf(await list('', own.key))).toEqual([...ids].reverse());
    expect(idsOf(await list(`?domain=${a.toUpperCase()}.`, own.key))).toEqual([ids[3], ids[0]]);
    const page = await list(`?domain=${a}&limit=1`, own.key);
    expect([idsOf(page), page.body.pagination.has_more]).toEqual([[ids[3]], true]);
    const next = await list(`?domain=${a}&limit=1&after=${page.body.pagination.next_cursor}`, own.key);
    expect([idsOf(next), next.body.pagination.has_more]).toEqual([[ids[0]], false]);
    expectError(await list('?domain=unknown.test', own.key), 400, 'domain not found: unknown.test');
    expectError(await list(`?domain=${one}`, own.key), 400, `domain not found: ${one}`);
  });

  it('§13.2 list: a key with domain scopes names one of its domains, and sees those routes only', async () => {
    const [mine] = [await made({ recipient: `list@${one}` }), await made({ recipient: `list@${two}` })];
    const key = await keyWith(`read:{${one}}`);
    for (const query of ['', '?domain=', '?domain=x', `?domain=${two}`, '?domain=unknown.test']) {
      expectError(await list(query, key), 403, lacks('read'));
    }
    expectError(await list(`?domain=${one}`, await keyWith('write:all')), 403, lacks('read'));
    const seen = await list(`?domain=${one}`, key);
    expect(idsOf(seen)).toContain(mine.id);
    for (const { recipient } of seen.body.data) expect(recipient).toMatch(new RegExp(`@${one}$`));
  });

  it('§13.2 get: with a scope of the recipient domain; one of every domain needs :all', async () => {
    const ids = [
      (await made()).id,
      (await made({ recipient: `x@${two}` })).id,
      (await made({ recipient: '' })).id,
    ];
    const [key, all] = [await keyWith(`read:{${one}}`), await keyWith('read:all')];
    const statuses = (by: ApiKey) =>
      Promise.all(ids.map(async (id) => (await on('GET', id, undefined, by)).status));
    expect([await statuses(key), await statuses(all)]).toEqual([
      [200, 403, 403],
      [200, 200, 200],
    ]);
    const stranger = await postmesh.newAccount();
    expectError(await on('GET', ids[0], undefined, stranger.key), 404, 'route not found');
    for (const by of [account.key, key]) {
      expectError(await on('GET', NONE, undefined, by), 404, 'route not found');
    }
    expectError(await on('GET', 'nonsense'), 400, 'invalid route_id');
  });

  it('§13.2 update: omitted and null fields stay; {} changes nothing', async () => {
    const { secret: _, ...route } = await made({ headers: true, recipient: `A-*@${one}` });
    for (const body of [{}, { name: null, url: null, recipient: null, headers: null, enabled: null }]) {
      const { status, body: given } = await on('PUT', route.id, body);
      expect([status, given]).toEqual([200, route]);
    }
    const change = {
      name: 'New',
      url: 'http://hooks.example.com/new',
      recipient: `b@${two}`,
      headers: false,
    };
    const { status, body } = await on('PUT', route.id, { ...change, recipient: `b@${two.toUpperCase()}` });
    expect([status, body]).toEqual([200, { ...route, ...change, updated_at: body.updated_at }]);
    expect((await on('GET', route.id)).body).toEqual(body);
    expectError(await on('PUT', route.id, { secret: 'x' }), 400, 'secret is not writable');
    expectError(await on('PUT', route.id, { url: '' }), 400, 'invalid url (an absolute http or https URL)');
    expectError(await on('PUT', NONE, {}), 404, 'route not found');
  });

  it('§13.2 update: both the domain that is and the one that is to be are authorised; "" needs :all', async () => {
    const { id } = await made();
    const [key, both] = [await keyWith(`write:{${one}}`), await keyWith(`write:{${one}}`, `write:{${two}}`)];
    expectError(await on('PUT', id, { recipient: `x@${two}` }, key), 403, lacks('write'));
    expectError(await on('PUT', id, { recipient: '' }, both), 403, lacks('write'));
    expect((await on('PUT', id, { recipient: `x@${one}` }, key)).status).toBe(200);
    expect((await on('PUT', id, { recipient: `x@${two}` }, both)).status).toBe(200);
    expectError(await on('PUT', id, { name: 'x' }, key), 403, lacks('write'));
    expect((await on('PUT', id, { recipient: '' })).body.recipient).toBe('');
    expectError(await on('PUT', id, { recipient: `x@${one}` }, both), 403, lacks('write'));
  });

  it('§13.2 delete: once, with a scope of the recipient domain', async () => {
    const [route, every] = [await made(), await made({ recipient: '' })];
    const key = await keyWith(`delete:{${one}}`);
    expectError(await on('DELETE', every.id, undefined, key), 403, lacks('delete'));
    const other = await keyWith(`delete:{${two}}`);
    expectError(await on('DELETE', route.id, undefined, other), 403, lacks('delete'));
    const { status, body } = await on('DELETE', route.id, undefined, key);
    expect([status, body]).toEqual([200, { message: 'route deleted successfully' }]);
    for (const method of ['GET', 'DELETE']) expectError(await on(method, route.id), 404, 'route not found');
    expectError(await on('PUT', route.id, {}), 404, 'route not found');
  });

  it('§13.2 two of the same name and recipient may be', async () => {
    const [first, second] = [await made({ name: 'same' }), await made({ name: 'same' })];
    expect(first.id).not.toBe(second.id);
    expect(first.secret).not.toBe(second.secret);
  });

  it('§13.2 an account has a limit of routes, which its sub-accounts do not share', async () => {
    const own = await postmesh.newAccount();
    await made({ recipient: '' }, own.key);
    await postmesh.sql(
      `insert into webhooks.routes select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid()))).*
       from webhooks.routes r, generate_series(1, 99) where account_id = $1`,
      [own.id],
    );
    expectError(await create({ recipient: '' }, own.key), 403, 'route limit reached');
    const child = await newChild(postmesh, own);
    await made({ recipient: '' }, child.key);
    await on('DELETE', idsOf(await list('?limit=1', own.key))[0] ?? '', undefined, own.key);
    await made({ recipient: '' }, own.key);
  });
});

describe('§13.3 recipient pattern', () => {
  it.each([
    'support@D',
    'Ticket-*@D',
    '*-support@D',
    '*@D',
    'a*b*c@D',
    'x+y@D',
    '"a b\\"c"@D'.replace(' ', '.'),
  ])('§13.3 rule 1 %s is a pattern; its local part is shown as it was written', async (pattern) => {
    const recipient = pattern.replace(/D$/, one);
    const given = await made({ recipient: ` ${pattern.replace(/D$/, one.toUpperCase())}. ` });
    expect(given.recipient).toBe(recipient);
  });

  it('§13.3 rule 2 the domain is one of the account, verified or not', async () => {
    const other = await postmesh.newAccount();
    const theirs = await newDomain(other);
    for (const domain of [theirs, 'unknown.test', `mail.${one}`]) {
      expectError(await create({ recipient: `*@${domain}` }), 400, `recipient domain not found: ${domain}`);
    }
    const { id } = await made();
    expectError(
      await on('PUT', id, { recipient: `*@${theirs}` }),
      400,
      `recipient domain not found: ${theirs}`,
    );
  });

  it('§13.3 rule 2 two spellings of a domain are one', async () => {
    const label = unique('bücher');
    const body = { domain: `${label}.test` };
    const { domain } = (await postmesh.api(account.key, 'POST', '{A}/domains', { body })).body;
    expect((await made({ recipient: `*@${label}.TEST.` })).recipient).toBe(`*@${domain}`);
  });

  it.each([
    ' ',
    'support',
    'support@',
    'support@*',
    '*sales*',
    '@D',
    'x@*.D',
    'a b@D',
    'a@b@D',
    '<a@D>',
    'x@localhost',
    'x@[192.0.2.1]',
    'a\u0000@D',
    'a\r\n@D',
  ])('§13.3 rule 5 %j is refused', async (pattern) => {
    const recipient = pattern.replace('D', one);
    expectError(await create({ recipient }), 400, INVALID);
    const { id } = await made();
    expectError(await on('PUT', id, { recipient }), 400, INVALID);
    await on('DELETE', id);
  });

  it('§13.3 rule 6 form, then scope, then ownership', async () => {
    const key = await keyWith(`write:{${one}}`);
    expectError(await create({ recipient: 'support' }, key), 400, INVALID);
    expectError(await create({ recipient: '' }, key), 403, lacks('write'));
    expectError(await create({ recipient: '*@unknown.test' }, key), 403, lacks('write'));
    expectError(await create({ recipient: `*@${two}` }, key), 403, lacks('write'));
    expect((await create({ recipient: `*@${one}` }, key)).status).toBe(201);
    const all = await keyWith('write:all');
    expectError(
      await create({ recipient: '*@Unknown.test' }, all),
      400,
      'recipient domain not found: unknown.test',
    );
    expect((await create({ recipient: '' }, all)).status).toBe(201);
  });
});

it('§11.9 a route whose domain is deleted is disabled, and can be given another', async () => {
  const gone = await newDomain();
  const [route, every] = [await made({ recipient: `*@${gone}` }), await made({ recipient: '' })];
  const other = await made();
  expect((await postmesh.api(account.key, 'DELETE', `{A}/domains/${gone}`)).status).toBe(200);
  await eventually(async () => (await on('GET', route.id)).body.enabled).toBe(false);
  for (const { id } of [every, other]) expect((await on('GET', id)).body.enabled).toBe(true);
  expect((await on('PUT', route.id, { name: 'Other' })).status).toBe(200);
  expectError(await on('PUT', route.id, { enabled: true }), 400, `recipient domain not found: ${gone}`);
  const moved = await on('PUT', route.id, { enabled: true, recipient: `*@${one}` });
  expect(moved.body).toMatchObject({ enabled: true, recipient: `*@${one}` });
});
