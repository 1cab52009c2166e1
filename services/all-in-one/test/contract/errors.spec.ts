import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectError,
  freshIp,
  sharedInstallation,
  unique,
  uniqueDomain,
  type Account,
  type ApiKey,
} from './harness.js';

const postmesh = sharedInstallation();
const UNKNOWN = '0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d';

let account: Account;
let other: Account;
/** `shop`: domain scopes for one domain; `none`: a key without any of these families */
let readers: Record<'shop' | 'none', ApiKey>;
let shop: string;
beforeAll(async () => {
  [account, other] = await Promise.all([postmesh.newAccount(), postmesh.newAccount()]);
  shop = await postmesh.verifiedDomain(account);
  readers = {
    shop: await postmesh.newKey(account, {
      scopes: [
        'webhooks:read',
        'webhooks:write',
        'webhooks:delete',
        'smtp-credentials:read',
        'routes:read',
        'domains:delete',
        'messages:send',
      ].map((family) => `${family}:{${shop}}`),
    }),
    none: await postmesh.newKey(account, { scopes: ['accounts:billing'] }),
  };
});

const call = (method: string, path: string, body?: unknown) =>
  postmesh.api(account.key, method, path, { body });
const hook = (more: object = {}) => ({
  name: 'n',
  url: 'http://127.0.0.1:9/',
  scope: 'global',
  on_dns_error: true,
  ...more,
});
const message = (from: string) => ({
  from: { email: `a@${from}` },
  to: [{ email: 'ann@mail.test' }],
  subject: 's',
  text_content: 't',
});
const route = (more: object = {}) => ({ name: 'n', url: 'http://127.0.0.1:9/', recipient: '', ...more });
/** Operations that take a body, one per family. */
const CREATES = ['{A}/api-keys', '{A}/domains', '{A}/webhooks', '{A}/messages/conversation'];

describe('§1.4 table 400', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', 'nonsense'],
    ['half of it', '{"label":'],
    ['two values', '{} {}'],
    ['an array', '[]'],
    ['a string', '"text"'],
    ['a number', '1'],
    ['null', 'null'],
    ['a byte that is no UTF-8 in place of JSON', Buffer.from([0xff, 0xfe])],
    ['a byte that is no UTF-8 in a text', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['half of a surrogate pair', '{"label":"\\ud83d"}'],
  ])('§1.4 table 400 invalid request body: %s', async (_what, rawBody) => {
    for (const path of CREATES) {
      const response = await postmesh.api(account.key, 'POST', path, { rawBody });
      expectError(response, 400, 'invalid request body');
    }
  });

  it('§1.4 table 400 unknown body field', async () => {
    for (const path of CREATES) {
      expectError(await call('POST', path, { colour: 'red' }), 400, 'unknown field: colour');
      const proto = await postmesh.api(account.key, 'POST', path, { rawBody: '{"__proto__":{"a":1}}' });
      expectError(proto, 400, 'unknown field: __proto__');
    }
    const { id } = await postmesh.newKey(account);
    expectError(await call('PUT', `{A}/api-keys/${id}`, { colour: 1 }), 400, 'unknown field: colour');
  });

  it.each([
    [
      '{A}/api-keys',
      ['id', 'created_at', 'updated_at', 'last_used_at', 'public_key', 'secret_key', 'object'],
    ],
    [
      '{A}/domains',
      ['id', 'created_at', 'dns_valid', 'dns_records', 'account_id', 'rotation_ready', 'paused'],
    ],
    ['{A}/smtp-credentials', ['object', 'id', 'created_at', 'updated_at', 'username', 'password']],
    ['{A}/routes', ['object', 'id', 'created_at', 'error_count', 'last_request_at', 'secret']],
    ['{A}/webhooks', ['id', 'created_at', 'success_count', 'error_count', 'last_request_at', 'secret']],
  ])('§1.4 table 400 read-only body field of %s', async (path, fields) => {
    for (const name of fields) {
      expectError(await call('POST', path, { [name]: 'x' }), 400, `${name} is not writable`);
    }
  });

  it.each<[string, object, string]>([
    ['{A}/api-keys', {}, 'label is required'],
    ['{A}/api-keys', { label: 7 }, 'label must be a string'],
    ['{A}/api-keys', { label: 'x'.repeat(256) }, 'label must be at most 255 characters'],
    ['{A}/api-keys', { label: 'k', scopes: 'x' }, 'scopes must be an array'],
    ['{A}/api-keys', { label: 'k', scopes: [7] }, 'scopes[0] must be a string'],
    ['{A}/domains', {}, 'domain is required'],
    ['{A}/domains', { domain: {} }, 'domain must be a string'],
    [
      '{A}/domains',
      { domain: 'a.test', dkim_rotation_interval_days: '7' },
      'dkim_rotation_interval_days must be a number',
    ],
    ['{A}/smtp-credentials', { name: 'n' }, 'scope is required'],
    ['{A}/smtp-credentials', { name: 'n', scope: 'x' }, 'scope must be one of: global, scoped'],
    ['{A}/webhooks', {}, 'name is required'],
    ['{A}/webhooks', { ...hook(), enabled: 'yes' }, 'enabled must be a boolean'],
    ['{A}/routes', { name: 'n', url: 'http://127.0.0.1:9/' }, 'recipient is required'],
    ['{A}/routes', { ...route(), strip_replies: 1 }, 'strip_replies must be a boolean'],
    ['{A}/messages/conversation', { to: [] }, 'from is required'],
  ])('§1.4 table 400 missing or badly typed field: %s %j', async (path, body, message) => {
    expectError(await call('POST', path, body), 400, message);
  });

  it.each([
    ['account_id', '/v2/accounts/nonsense/api-keys'],
    ['key_id', '{A}/api-keys/nonsense'],
    ['webhook_id', '{A}/webhooks/nonsense'],
    ['smtp_credential_id', '{A}/smtp-credentials/nonsense'],
    ['route_id', '{A}/routes/nonsense'],
    ['key_id', `{A}/api-keys/${UNKNOWN}0`],
    ['key_id', `{A}/api-keys/${UNKNOWN.replaceAll('-', '')}`],
    ['key_id', '{A}/api-keys/%00'],
  ])('§1.4 table 400 invalid %s: %s', async (name, path) => {
    expectError(await call('GET', path), 400, `invalid ${name}`);
  });

  it('§1.4 table 400 bad time', async () => {
    for (const [name, value] of [
      ['first_attempt', 'tomorrow'],
      ['expires', '2026-13-45T00:00:00Z'],
    ] as const) {
      const body = { ...message(shop), schedule: { [name]: value } };
      const response = await call('POST', '{A}/messages/conversation', body);
      expectError(response, 400, `invalid schedule.${name}, provide a valid RFC3339 time string`);
    }
  });
});

describe('§1.4 table 401', () => {
  it.each([
    ['no header', {}],
    ['another scheme', { authorization: 'Basic cG06c2s=' }],
    ['no token', { authorization: 'Bearer' }],
    ['an empty token', { authorization: 'Bearer   ' }],
    ['two words', { authorization: 'Bearer one two' }],
    ['the token alone', { authorization: 'pm-sk-x' }],
  ])('§1.4 table 401 missing or malformed bearer token: %s', async (_what, headers) => {
    for (const path of ['/v2/ping', `/v2/accounts/${account.id}/domains`]) {
      const response = await postmesh.api(null, 'GET', path, { headers });
      expectError(response, 401, 'missing or malformed bearer token');
    }
  });

  it('§1.4 table 401 invalid API key: unknown, deleted, of another account', async () => {
    const gone = await postmesh.newKey(account);
    await call('DELETE', `{A}/api-keys/${gone.id}`);
    const path = `/v2/accounts/${account.id}/domains`;
    for (const caller of ['pm-sk-unknown', gone.secret, other.key.secret, other.key.publicKey]) {
      expectError(await postmesh.api(caller, 'GET', path), 401, 'invalid API key');
    }
  });

  it('§1.4 table 401 account is suspended: blocked by the operator', async () => {
    const blocked = await postmesh.newAccount();
    await postmesh.operator('POST', `/operator/accounts/accounts/${blocked.id}/block`, { reason: 'test' });
    expectError(await postmesh.api(blocked.key, 'GET', '{A}'), 401, 'account is suspended');
  });
});

describe('§1.4 table 403', () => {
  it('§1.4 table 403 client IP outside the allow list', async () => {
    const key = await postmesh.newKey(account, { ip_allow_list: ['192.0.2.0/24'] });
    expectError(
      await postmesh.api(key, 'GET', '{A}', { clientIp: '198.51.100.1' }),
      403,
      'Request rejected by the API key IP allow list',
    );
  });

  it('§1.4 table 403 missing static scope', async () => {
    for (const [method, path] of [
      ['GET', '{A}'],
      ['PUT', '{A}'],
      ['GET', '{A}/api-keys'],
      ['POST', '{A}/api-keys'],
      ['GET', `{A}/api-keys/${UNKNOWN}`],
      ['PUT', `{A}/api-keys/${UNKNOWN}`],
      ['DELETE', `{A}/api-keys/${UNKNOWN}`],
      ['GET', '{A}/domains'],
      ['POST', '{A}/domains'],
      ['POST', `{A}/domains/${shop}/check-dns`],
    ] as const) {
      const response = await postmesh.api(readers.none, method, path, method === 'GET' ? {} : { body: {} });
      expectError(response, 403, 'insufficient permissions for the required scope');
    }
  });

  it.each([
    ['read', 'webhooks', 'GET', '{A}/webhooks'],
    ['read', 'webhooks', 'GET', `{A}/webhooks/${UNKNOWN}`],
    ['write', 'webhooks', 'POST', '{A}/webhooks'],
    ['write', 'webhooks', 'PUT', `{A}/webhooks/${UNKNOWN}`],
    ['delete', 'webhooks', 'DELETE', `{A}/webhooks/${UNKNOWN}`],
    ['delete', 'domains', 'DELETE', '{A}/domains/some.test'],
    ['read', 'smtp credentials', 'GET', '{A}/smtp-credentials'],
    ['read', 'smtp credentials', 'GET', `{A}/smtp-credentials/${UNKNOWN}`],
    ['write', 'smtp credentials', 'POST', '{A}/smtp-credentials'],
    ['delete', 'smtp credentials', 'DELETE', `{A}/smtp-credentials/${UNKNOWN}`],
    ['read', 'routes', 'GET', '{A}/routes'],
    ['read', 'routes', 'GET', `{A}/routes/${UNKNOWN}`],
    ['write', 'routes', 'POST', '{A}/routes'],
    ['write', 'routes', 'PUT', `{A}/routes/${UNKNOWN}`],
    ['write', 'routes', 'POST', `{A}/routes/${UNKNOWN}/trigger`],
    ['delete', 'routes', 'DELETE', `{A}/routes/${UNKNOWN}`],
  ])('§1.4 table 403 missing domain-aware scope to %s %s: %s', async (action, family, method, path) => {
    const response = await postmesh.api(readers.none, method, path, method === 'GET' ? {} : { body: {} });
    expectError(response, 403, `api key does not have sufficient permissions to ${action} ${family}`);
    const scopes = `${family.replace(' ', '-')}:${action}`;
    expect(response.headers['www-authenticate']).toMatch(
      new RegExp(`^Bearer error="insufficient_scope", scope="${scopes}:all ${scopes}:\\{[a-z.]+\\}"$`),
    );
  });

  it('§1.4 table 403 send from a domain the key is not scoped to', async () => {
    const elsewhere = await postmesh.verifiedDomain(account);
    const send = (domain: string) =>
      postmesh.api(readers.shop, 'POST', '{A}/messages/conversation', { body: message(domain) });
    const refused = await send(elsewhere);
    expectError(
      refused,
      403,
      `this api key is not authorized to send messages from the domain '${elsewhere}'`,
    );
    expect(refused.headers['www-authenticate']).toBe(
      `Bearer error="insufficient_scope", scope="messages:send:all messages:send:{${elsewhere}}"`,
    );
    expect((await send(shop)).status).toBe(202);
  });

  it('§1.4 table 403 a suspended account that sends or manages domains', async () => {
    const suspended = await postmesh.newAccount();
    const domain = await postmesh.verifiedDomain(suspended);
    await postmesh.operator('POST', `/operator/accounts/accounts/${suspended.id}/suspend`, {
      reason: 'test',
    });
    const sent = await postmesh.api(suspended.key, 'POST', '{A}/messages/conversation', {
      body: message(domain),
    });
    expectError(sent, 403, 'account is suspended');
    const made = await postmesh.api(suspended.key, 'POST', '{A}/domains', {
      body: { domain: uniqueDomain() },
    });
    expectError(made, 403, 'account is suspended, contact support');
  });
});

describe('§1.4 table 404 and 405', () => {
  it.each([
    ...['/', '/v2', '/v2/', '/v1/ping', '/v2/ping/', '/v2/accounts', '/%zz'],
    ...['/operator/doctor', '/metrics', '/health/live', '/internal/keys/lookup'],
  ])('§1.4 table 404 unknown path %s, with a key and without', async (path) => {
    for (const key of [account.key, null]) {
      expectError(await postmesh.api(key, 'GET', path), 404, 'not found');
    }
  });

  it.each([
    ['api key', `{A}/api-keys/${UNKNOWN}`],
    ['webhook', `{A}/webhooks/${UNKNOWN}`],
    ['smtp credential', `{A}/smtp-credentials/${UNKNOWN}`],
    ['route', `{A}/routes/${UNKNOWN}`],
    ['domain', '{A}/domains/unknown.test'],
    ['message', `{A}/messages/${encodeURIComponent(`<${UNKNOWN}@unknown.test>`)}`],
  ])('§1.4 table 404 %s not found', async (thing, path) => {
    expectError(await call('GET', path), 404, `${thing} not found`);
  });

  it('§1.4 table 405 known path, wrong method, with Allow', async () => {
    for (const [method, path, allow] of [
      ['PATCH', '{A}/api-keys', 'GET, POST'],
      ['DELETE', '{A}/webhooks', 'GET, POST'],
      ['GET', '{A}/messages/conversation', 'POST'],
      ['OPTIONS', '/v2/ping', 'GET'],
    ] as const) {
      const response = await postmesh.api(account.key, method, path);
      expect([response.status, response.headers['allow']], `${method} ${path}`).toEqual([405, allow]);
      expect(response.body).toEqual({ message: 'method not allowed' });
    }
    for (const method of ['PUT', 'OPTIONS', 'PATCH', 'HEAD']) {
      const path = `/v2/accounts/${account.id}/messages/conversation`;
      const response = await postmesh.api(null, method, path);
      expect([response.status, response.headers['allow']], method).toEqual([405, 'POST']);
    }
  });
});

describe('§1.4 rules', () => {
  it('§1.4 rule 1 a wrong body is never 422 or 412', async () => {
    const statuses = new Set<number>();
    for (const path of CREATES) {
      for (const body of [
        {},
        { x: 1 },
        [],
        null,
        { label: null },
        { domain: 7 },
        { name: '' },
        { from: 1 },
      ]) {
        const variants: Record<string, string>[] = [
          {},
          { 'if-match': '"x"' },
          { 'idempotency-key': unique('k') },
        ];
        for (const headers of variants) {
          const response = await postmesh.api(account.key, 'POST', path, { body, headers });
          statuses.add(response.status);
        }
      }
    }
    expect([...statuses]).toEqual([400]);
  });

  it('§1.4 rule 2 a 401 does not reveal whether the account exists', async () => {
    const answers = [];
    for (const id of [other.id, UNKNOWN]) {
      const response = await postmesh.api(account.key, 'GET', `/v2/accounts/${id}`, { clientIp: freshIp() });
      expectError(response, 401, 'invalid API key');
      answers.push({ ...response.headers, 'x-request-id': '', date: '' });
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  it('§1.4 rule 3 a resource of another account is not found, with the text of one that does not exist', async () => {
    const foreign = {
      key: (await postmesh.newKey(other)).id,
      hook: (await postmesh.api(other.key, 'POST', '{A}/webhooks', { body: hook() })).body.id,
      login: (
        await postmesh.api(other.key, 'POST', '{A}/smtp-credentials', {
          body: { name: 'n', scope: 'global' },
        })
      ).body.id,
      route: (await postmesh.api(other.key, 'POST', '{A}/routes', { body: route() })).body.id,
      domain: await postmesh.verifiedDomain(other),
    };
    const sent = await postmesh.api(other.key, 'POST', '{A}/messages/conversation', {
      body: message(foreign.domain),
    });
    for (const [theirs, nothing] of [
      [`{A}/api-keys/${foreign.key}`, `{A}/api-keys/${UNKNOWN}`],
      [`{A}/webhooks/${foreign.hook}`, `{A}/webhooks/${UNKNOWN}`],
      [`{A}/smtp-credentials/${foreign.login}`, `{A}/smtp-credentials/${UNKNOWN}`],
      [`{A}/routes/${foreign.route}`, `{A}/routes/${UNKNOWN}`],
      [`{A}/domains/${foreign.domain}`, '{A}/domains/unknown.test'],
      [
        `{A}/messages/${encodeURIComponent(sent.body.data[0].id)}`,
        `{A}/messages/${encodeURIComponent(`<${UNKNOWN}@unknown.test>`)}`,
      ],
    ] as const) {
      const [one, two] = [await call('GET', theirs), await call('GET', nothing)];
      expect([one.status, one.body]).toEqual([404, two.body]);
      if (theirs.includes('messages')) continue;
      const [three, four] = [await call('DELETE', theirs), await call('DELETE', nothing)];
      expect([three.status, three.body]).toEqual([404, four.body]);
    }
    expect((await postmesh.api(other.key, 'GET', `{A}/webhooks/${foreign.hook}`)).status).toBe(200);
  });

  it('§1.4 rule 4 by id with domain-aware scopes: no scope 403, no row 404, another domain 403 (webhooks, SMTP credentials, routes)', async () => {
    const elsewhere = uniqueDomain();
    await call('POST', '{A}/domains', { domain: elsewhere });
    for (const [family, thing, body] of [
      ['webhooks', 'webhook', hook()],
      ['smtp-credentials', 'smtp credential', { name: 'n' }],
      ['routes', 'route', { name: 'n', url: 'http://127.0.0.1:9/' }],
    ] as const) {
      const made = async (domain: string) => {
        const of =
          family === 'routes' ? { recipient: `*@${domain}` } : { scope: 'scoped', domains: [domain] };
        return (await call('POST', `{A}/${family}`, { ...body, ...of })).body.id as string;
      };
      const [mine, foreign] = [await made(shop), await made(elsewhere)];
      const read = (key: ApiKey, id: string) => postmesh.api(key, 'GET', `{A}/${family}/${id}`);
      const apiError = `api key does not have sufficient permissions to read ${thing}s`;
      expectError(await read(readers.none, UNKNOWN), 403, apiError);
      expectError(await read(readers.shop, UNKNOWN), 404, `${thing} not found`);
      expectError(await read(readers.shop, foreign), 403, apiError);
      expect((await read(readers.shop, mine)).status).toBe(200);
    }
  });

  it('§1.4 rule 5 null for an optional field means that it is not given', async () => {
    const key = await call('POST', '{A}/api-keys', {
      label: 'k',
      scopes: ['accounts:read'],
      ip_allow_list: null,
    });
    expect([key.status, key.body.ip_allow_list]).toEqual([201, []]);
    const domain = await call('POST', '{A}/domains', {
      domain: uniqueDomain(),
      tracking_subdomain: null,
      dkim_selector: null,
      dkim_rotation_interval_days: null,
    });
    expect([domain.status, domain.body.tracking_subdomain]).toEqual([201, null]);
    const made = await call('POST', '{A}/webhooks', hook({ enabled: null, domains: null, on_failed: null }));
    expect([made.status, made.body.enabled, made.body.on_failed]).toEqual([201, true, false]);
    expectError(await call('POST', '{A}/api-keys', { label: null, scopes: ['*'] }), 400);
  });

  it('§1.4 rule 5 strict bodies: unknown and read-only fields are refused also deep inside and next to valid ones', async () => {
    const deep = { ...message(shop), from: { email: `a@${shop}`, colour: 1 } };
    expectError(await call('POST', '{A}/messages/conversation', deep), 400, 'unknown field: from.colour');
    const good = { label: 'k', scopes: ['accounts:read'] };
    expectError(await call('POST', '{A}/api-keys', { ...good, created_at: null }), 400);
    const { id } = await postmesh.newKey(account);
    expectError(await call('PUT', `{A}/api-keys/${id}`, { label: 'x', id }), 400, 'id is not writable');
  });

  it('§1.4 rule 6 the error names the first wrong field of the request table', async () => {
    expectError(
      await call('POST', '{A}/api-keys', { ip_allow_list: 'x', scopes: 7, label: 7 }),
      400,
      'label must be a string',
    );
    expectError(
      await call('POST', '{A}/api-keys', { ip_allow_list: 'x', scopes: 7, label: 'k' }),
      400,
      'scopes must be an array',
    );
    expectError(
      await call('POST', '{A}/webhooks', { scope: 'x', url: 7, name: 'n' }),
      400,
      'url must be a string',
    );
    expectError(
      await call('POST', '{A}/domains', { dkim_rotation_interval_days: 'x', domain: 7 }),
      400,
      'domain must be a string',
    );
  });

  // every field is wrong, in the reverse order of its table
  it.each<[string, string, string, string]>([
    ['PUT', '', 'track_opens about website name', 'name must be a string'],
    ['POST', '/members', 'name role email', 'email must be a string'],
    ['POST', '/sub-accounts', 'monthly_credit website name', 'name must be a string'],
    ['POST', '/smtp-credentials', 'domains sandbox scope name', 'name must be a string'],
    ['POST', '/routes', 'enabled recipient url name', 'name must be a string'],
    ['POST', '/suppressions', 'expires_at reason domain email', 'email must be a string'],
    [
      'POST',
      '/messages',
      'schedule tags headers attachments subject reply_to recipients from',
      'from must be an object',
    ],
    ['POST', '/messages/conversation', 'schedule subject bcc cc to from', 'from must be an object'],
    ['POST', '/messages/template', 'schedule from recipients template_id', 'template_id must be a string'],
    ['POST', '/templates', 'publish content reply_to from subject editor name', 'name must be a string'],
    ['POST', '/contacts', 'attributes status last_name first_name email', 'email must be a string'],
    ['POST', '/lists', 'tags description name', 'name must be a string'],
    ['POST', '/campaigns', 'content list_ids reply_to from subject name', 'name must be a string'],
    ['POST', '/campaign-templates', 'content name', 'name must be a string'],
  ])('§1.4 rule 6 in each family, %s %s: %s', async (method, path, fields, message) => {
    const body = Object.fromEntries(fields.split(' ').map((field) => [field, 7]));
    expectError(await call(method, `{A}${path}`, body), 400, message);
  });
});
