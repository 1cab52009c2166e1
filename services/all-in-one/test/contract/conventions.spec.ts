import { beforeAll, describe, expect, it } from 'vitest';
import { responsesOfEveryKind } from './every-response.js';
import { newChild } from './families.js';
import {
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  uniqueDomain,
  UUID_V7,
  type Account,
  type HttpResponse,
} from './harness.js';

const postmesh = sharedInstallation();
let account: Account;
let kinds: Record<string, HttpResponse>;
beforeAll(async () => {
  account = await postmesh.newAccount();
  kinds = await responsesOfEveryKind(postmesh, account);
});

const call = (method: string, path: string, body?: unknown) =>
  postmesh.api(account.key, method, path, { body });
const webhook = (more: object = {}) => ({
  name: 'Hook',
  url: 'http://127.0.0.1:9/hook',
  scope: 'global',
  on_dns_error: true,
  ...more,
});

/** A resource of each family that is served. */
async function resources(): Promise<Record<string, HttpResponse['body']>> {
  const made = {
    api_key: await call('POST', '{A}/api-keys', { label: 'k', scopes: ['accounts:read'] }),
    domain: await call('POST', '{A}/domains', { domain: uniqueDomain() }),
    webhook: await call('POST', '{A}/webhooks', webhook()),
    route: await call('POST', '{A}/routes', { name: 'r', url: 'http://127.0.0.1:9/', recipient: '' }),
  };
  const read = { account: await call('GET', '{A}') };
  return Object.fromEntries(Object.entries({ ...made, ...read }).map(([name, { body }]) => [name, body]));
}

function* leaves(value: unknown, path = ''): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null) return yield [path, value];
  for (const [key, inner] of Object.entries(value)) yield* leaves(inner, `${path}.${key}`);
}

type Parameter = { $ref: string } | { name: string; in: string };

/** Every paginated list and its filters, from the API document. */
async function pagedLists(ids: Record<string, string>): Promise<{ path: string; filters: string[] }[]> {
  const { paths } = (await call('GET', '/openapi.json')).body as {
    paths: Record<string, { get?: { parameters: Parameter[] } }>;
  };
  return Object.entries(paths)
    .map(([path, { get }]) => ({ path, parameters: get?.parameters ?? [] }))
    .filter(({ parameters }) => parameters.some((one) => '$ref' in one && one.$ref.endsWith('/limit')))
    .map(({ path, parameters }) => ({
      path: path
        .replace('/v2/accounts/{account_id}', '{A}')
        .replace(/\{(\w{2,})\}/, (parameter, name) => ids[name] ?? parameter),
      filters: parameters.flatMap((one) => ('in' in one && one.in === 'query' ? [one.name] : [])),
    }));
}

describe('§1.1 wire format', () => {
  it('§1.1 rule 1 answers JSON with snake_case keys, times in UTC and UUIDv7 ids', async () => {
    for (const [name, resource] of Object.entries(await resources())) {
      expect(resource.id, name).toMatch(UUID_V7);
      for (const [path, value] of leaves(resource)) {
        for (const key of path.split('.').slice(1)) expect(key, path).toMatch(/^(\d+|[a-z0-9_]+)$/);
        if (path.endsWith('_at') && value !== null) expect(value, path).toMatch(TIMESTAMP);
      }
    }
    for (const response of Object.values(kinds)) {
      expect(response.headers['content-type']).toMatch(/^application\/json/);
      expect(response.bytes.toString('utf8')).toBe(Buffer.from(response.bytes.toString('utf8')).toString());
    }
  });

  it('§1.1 rule 1 keeps every character of UTF-8', async () => {
    const label = 'Grüße 漢字 🙂 \u200d e\u0301';
    const made = await call('POST', '{A}/api-keys', { label, scopes: ['accounts:read'] });
    expect((await call('GET', `{A}/api-keys/${made.body.id}`)).body.label).toBe(label);
  });

  it('§1.1 rule 1 accepts ids in a path in any letter case', async () => {
    const { id } = (await call('POST', '{A}/api-keys', { label: 'k', scopes: ['accounts:read'] })).body;
    const upper = `/v2/accounts/${account.id.toUpperCase()}/api-keys/${id.toUpperCase()}`;
    expect((await call('GET', upper)).body.id).toBe(id);
  });

  it('§1.1 rule 1 reads every RFC 4122 form as an id, whatever its version', async () => {
    for (const id of [
      '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      '6fa459ea-ee8a-3ca4-894e-db77e160355e',
      '16fd2706-8baf-433b-82eb-8c7fada847da',
      '886313e1-3b8a-5372-9b90-0c9aee199e5d',
    ]) {
      expectError(await call('GET', `{A}/api-keys/${id}`), 404, 'api key not found');
    }
  });

  it('§1.1 rule 2 names the kind of each resource', async () => {
    const made = await resources();
    for (const [name, resource] of Object.entries(made)) expect(resource.object).toBe(name);
    for (const path of ['{A}/api-keys', '{A}/domains', '{A}/webhooks']) {
      const { body } = await call('GET', path);
      expect(Object.keys(body).sort(), path).toEqual(['data', 'object', 'pagination']);
      expect([body.object, Array.isArray(body.data)]).toEqual(['list', true]);
    }
  });

  it('§1.1 rule 2 a list that is not paginated has no pagination: members, and the response to a send', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const lists = [
      await call('GET', '{A}/members'),
      await call('POST', '{A}/messages/conversation', {
        from: { email: `a@${domain}` },
        to: [{ email: 'ann@mail.test' }],
        subject: 's',
        text_content: 't',
        sandbox: true,
      }),
    ];
    for (const { body } of lists) {
      expect(Object.keys(body).sort()).toEqual(['data', 'object']);
      expect(body.object).toBe('list');
    }
  });

  it('§1.1 rule 3 answers 200, 201 and 202, and a DELETE with a message', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const hook = await call('POST', '{A}/webhooks', webhook());
    const key = await call('POST', '{A}/api-keys', { label: 'k', scopes: ['accounts:read'] });
    const sent = await call('POST', '{A}/messages/conversation', {
      from: { email: `a@${domain}` },
      to: [{ email: 'ann@mail.test' }],
      subject: 's',
      text_content: 't',
      sandbox: true,
    });
    const changed = await call('PUT', `{A}/api-keys/${key.body.id}`, { label: 'k2' });
    const checked = await call('POST', `{A}/domains/${domain}/check-dns`);
    expect([hook, key, sent, changed, checked].map(({ status }) => status)).toEqual([
      201, 201, 202, 200, 200,
    ]);
    for (const path of [
      `{A}/webhooks/${hook.body.id}`,
      `{A}/api-keys/${key.body.id}`,
      `{A}/domains/${domain}`,
    ]) {
      const deleted = await call('DELETE', path);
      expect([deleted.status, deleted.body]).toEqual([200, { message: expect.any(String) }]);
    }
  });

  it('§1.1 rule 4 shows a field without a value as null', async () => {
    const made = await resources();
    expect(made['account']).toMatchObject({ parent_account_id: null });
    expect(made['api_key']).toMatchObject({ last_used_at: null, scopes: [{ domain_id: null }] });
    expect(made['webhook']).toMatchObject({ last_request_at: null });
    expect(made['domain']).toMatchObject({
      last_dns_check_at: null,
      tracking_subdomain: null,
      return_path_subdomain: null,
      subscription_subdomain: null,
      media_subdomain: null,
      dkim_rotation_interval_days: null,
      dkim_selector: null,
      dsn_recipient: null,
      paused_at: null,
      pause_reason: null,
    });
  });

  it('§1.1 rule 5 carries an x-request-id of its own on every answer, replays included', async () => {
    const ids = Object.entries(kinds).map(([kind, { headers }]) => {
      expect(headers['x-request-id'], kind).toMatch(UUID_V7);
      return headers['x-request-id'];
    });
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('§1.1 rule 5 does not believe an x-request-id of the client', async () => {
    const mine = '0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d';
    for (const path of ['/v2/ping', '/v2/nothing', '/', '/%zz', '{A}/api-keys/nonsense']) {
      const headers = { 'x-request-id': mine };
      const response = await postmesh.api(account.key, 'GET', path, { headers });
      expect(response.headers['x-request-id']).not.toBe(mine);
    }
  });

  it('§1.1 rule 6 sends no CORS headers and never redirects', async () => {
    const headers = { origin: 'https://shop.test', 'access-control-request-method': 'POST' };
    const more = [
      await postmesh.api(account.key, 'GET', '{A}', { headers }),
      await postmesh.api(null, 'OPTIONS', '{A}/api-keys', { headers }),
      await postmesh.api(account.key, 'GET', '{A}/'),
      await postmesh.api(account.key, 'GET', '//v2/ping'),
    ];
    for (const response of [...Object.values(kinds), ...more]) {
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(response.headers['location']).toBeUndefined();
      expect(response.status < 300 || response.status >= 400).toBe(true);
    }
  });

  it('§1.1 rule 7 ignores query parameters that it does not know', async () => {
    const query = '?colour=red&limit_=0&__proto__=x&a[b]=c&limit=5';
    for (const path of ['/v2/ping', '{A}', '{A}/api-keys', '{A}/domains', '{A}/webhooks']) {
      expect((await call('GET', path + query)).status, path).toBe(200);
    }
  });

  it('§1.1 rule 7 takes an empty parameter for an absent one: cursors, limit and each filter of each family', async () => {
    await call('POST', '{A}/domains', { domain: uniqueDomain() });
    await call('POST', '{A}/webhooks', webhook());
    const made = async (path: string, body: object): Promise<string> =>
      (await call('POST', `{A}/${path}`, body)).body.id;
    const lists = await pagedLists({
      sub_account_id: (await newChild(postmesh, account)).id,
      id_or_email: await made('contacts', { email: 'ann@mail.test' }),
      list_id: await made('lists', { name: 'News' }),
      campaign_id: await made('campaigns', { name: 'News' }),
    });
    expect(lists.map(({ path }) => path)).toEqual(expect.arrayContaining(['{A}/domains', '{A}/webhooks']));
    for (const { path, filters } of lists) {
      const all = await call('GET', path);
      expect(all.status, path).toBe(200);
      const names = ['cursor', 'after', 'before', 'limit', ...filters].map((name) => `${name}=`);
      // one by one, and all at once in the notation of well-known clients
      for (const query of [...names, names.join('&')]) {
        const response = await call('GET', `${path}?${query}`);
        expect([response.status, response.body], `${path}?${query}`).toEqual([200, all.body]);
      }
      expect((await call('GET', `${path}?${names.join('&')}&limit=1`)).body.data.length, path).toBeLessThan(
        2,
      );
    }
  });

  it('§1.1 rule 8 reads a flag of the query as exactly true or false', async () => {
    for (const value of ['True', '1', 'yes', 'null', '%20true', 'true%00']) {
      expectError(await call('GET', `{A}/domains?dns_valid=${value}`), 400, 'invalid dns_valid');
      const refused = await call('GET', `{A}/webhooks?on_delivered=${value}`);
      // this family allows more (spec 2-messages §17)
      expectError(refused, 400, 'invalid on_delivered, must be true or false');
    }
    for (const value of ['true', 'false']) {
      expect((await call('GET', `{A}/domains?dns_valid=${value}`)).status).toBe(200);
      expect((await call('GET', `{A}/webhooks?on_delivered=${value}`)).status).toBe(200);
    }
  });
});

describe('§1.2 normalisation', () => {
  it('§1.2 rule 1 two spellings of a domain name are one domain, in body, path, scope and webhook', async () => {
    const name = uniqueDomain('bücher');
    const [label = ''] = name.split('.');
    const made = await call('POST', '{A}/domains', { domain: `  ${name.toUpperCase()}.  ` });
    const { domain, id } = made.body;
    expect(domain).toMatch(/^xn--[a-z0-9-]+\.test$/);
    expectError(await call('POST', '{A}/domains', { domain: name }), 409, 'domain already exists');
    for (const spelling of [name, `${label}.TEST.`, domain.toUpperCase()]) {
      expect((await call('GET', `{A}/domains/${encodeURIComponent(spelling)}`)).body.id).toBe(id);
      const scope = `messages:send:{${spelling}}`;
      const key = await call('POST', '{A}/api-keys', { label: 'k', scopes: [scope] });
      expect(key.body.scopes).toMatchObject([{ scope: `messages:send:{${domain}}`, domain_id: id }]);
      const hook = await call('POST', '{A}/webhooks', webhook({ scope: 'scoped', domains: [spelling] }));
      expect(hook.body.domains).toEqual([domain]);
    }
  });

  it.each([
    ['one label', 'test'],
    ['an empty label', 'a..test'],
    ['a hyphen at the edge', '-a.test'],
    ['a hyphen at the end', 'a-.test'],
    ['an underscore', 'a_b.test'],
    ['a label of 64', `${'a'.repeat(64)}.test`],
    ['254 characters', `${'a'.repeat(61)}.`.repeat(4) + 'abcdef'],
    ['two trailing dots', 'a.test..'],
    ['an address', 'ann@a.test'],
    ['a URL', 'https://a.test'],
    ['an IPv4 address', '192.0.2.7'],
    ['nothing', ' '],
  ])('§1.2 rule 1 refuses %s as a domain name', async (_what, domain) => {
    expectError(
      await call('POST', '{A}/domains', { domain }),
      400,
      'invalid domain name, please provide a valid fully qualified domain name.',
    );
  });

  it('§1.2 rule 1 accepts labels of 63 characters', async () => {
    const long = unique('l').padEnd(63, 'x');
    const response = await call('POST', '{A}/domains', { domain: `${long}.${'b'.repeat(63)}.test` });
    expect([response.status, response.body.domain]).toEqual([201, `${long}.${'b'.repeat(63)}.test`]);
  });

  it('§1.2 rule 2 trims and lower-cases addresses of messages on write and on lookup (suppressions are not served yet)', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const sent = await call('POST', '{A}/messages/conversation', {
      from: { email: ` News@${domain.toUpperCase()} ` },
      to: [{ email: '  Ann@MAIL.Test ' }],
      subject: 's',
      text_content: 't',
      sandbox: true,
    });
    expect([sent.status, sent.body.data[0].recipient.email]).toEqual([202, 'ann@mail.test']);
  });

  it('§1.2 rule 3 trims before it counts, and counts characters, not bytes', async () => {
    const label = '🙂'.repeat(255);
    const made = await call('POST', '{A}/api-keys', { label: `   ${label}\t`, scopes: ['accounts:read'] });
    expect([made.status, made.body.label]).toEqual([201, label]);
    const hook = await call('POST', '{A}/webhooks', webhook({ name: label }));
    expect([hook.status, hook.body.name]).toEqual([201, label]);
    expectError(
      await call('POST', '{A}/api-keys', { label: `${label}x`, scopes: ['accounts:read'] }),
      400,
      'label must be at most 255 characters',
    );
    expectError(
      await call('POST', '{A}/webhooks', webhook({ name: `${label}x` })),
      400,
      'name must be at most 255 characters',
    );
    expectError(
      await call('POST', '{A}/api-keys', { label: ' \t ', scopes: ['accounts:read'] }),
      400,
      'label must not be empty',
    );
  });
});
