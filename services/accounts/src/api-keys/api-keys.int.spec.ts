import { newId } from '@postmesh/contracts';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { FirstAccount } from '../first-account/first-account.js';

const database = testDatabase();
const SHOP = newId();
const domains: Record<string, string> = { 'shop.test': SHOP };
let accounts: TestService;
let account: string;

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    neighbours: {
      domains: ({ path, body }) => {
        const names = (body as { domains: string[] }).domains;
        const own = path === `/internal/accounts/${account}/domains/find` ? names : [];
        const found = own.flatMap((domain) => {
          const id = domains[domain];
          return id ? [{ domain_id: id, domain }] : [];
        });
        return { status: 200, body: found };
      },
    },
  });
  account = (await accounts.service.get(FirstAccount).create()).account_id;
});
afterAll(() => accounts.stop());

const path = (rest = '') => `/v2/accounts/${account}/api-keys${rest}`;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', at: string, more: object = {}) =>
  accounts.call(method, at, { account_id: account, ...more });
const create = (body: object, more: object = {}) =>
  call('POST', path(), { body: { label: 'Production', scopes: ['domains:read'], ...body }, ...more });
const sql = (text: string, parameters: unknown[] = []) =>
  accounts.service.get(DataSource).query(text, parameters);

describe('§9 create an API key', () => {
  it('shows the secret once and keeps only its hash', async () => {
    const made = await create({ label: ' Production ', ip_allow_list: ['192.0.2.7', '192.0.2.7/32'] });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      object: 'api_key',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
      updated_at: made.body.created_at,
      last_used_at: null,
      account_id: account,
      label: 'Production',
      public_key: expect.stringMatching(/^pm-pk-[A-Za-z0-9]{32}$/),
      secret_key: expect.stringMatching(/^pm-sk-[A-Za-z0-9]{64}$/),
      scopes: [
        {
          id: expect.any(String),
          created_at: made.body.created_at,
          updated_at: made.body.created_at,
          api_key_id: made.body.id,
          scope: 'domains:read',
          domain_id: null,
        },
      ],
      ip_allow_list: ['192.0.2.7/32'],
    });
    const everything = await sql(
      `select (select json_agg(k) from api_keys k)::text || (select json_agg(a) from audit_entries a)::text as all`,
    );
    expect(everything[0].all).toContain(made.body.public_key);
    expect(everything[0].all).not.toContain(made.body.secret_key);
    const read = await call('GET', path(`/${made.body.id}`));
    const { secret_key: _shown, ...rest } = made.body;
    expect(read.body).toEqual(rest);
  });

  it('§2.3.3 grants scopes of own domains only, with the id of the domain', async () => {
    const made = await create({ scopes: ['messages:send:SHOP.test.', 'lists:read'] });
    expect(
      made.body.scopes.map((row: { scope: string; domain_id: string | null }) => [row.scope, row.domain_id]),
    ).toEqual([
      ['messages:send:{shop.test}', SHOP],
      ['lists:read', null],
    ]);
    const refused = await create({ scopes: ['messages:send:{other.test}'] });
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: 'domain not found in scope: messages:send:{other.test}' },
    ]);
  });

  it.each([
    [{ label: undefined }, 'label is required'],
    [{ label: '  ' }, 'label must not be empty'],
    [{ label: 'é'.repeat(256) }, 'label must be at most 255 characters'],
    [{ label: 'a\u0000b' }, 'label must not contain control characters'],
    [{ label: 7 }, 'label must be a string'],
    [{ scopes: undefined }, 'scopes is required'],
    [{ scopes: [] }, 'scopes must have at least 1 items'],
    [{ scopes: 'domains:read' }, 'scopes must be an array'],
    [{ scopes: [7] }, 'scopes[0] must be a string'],
    [{ scopes: ['nonsense'] }, 'invalid scope: nonsense (for example messages:send:all)'],
    [{ scopes: ['lists:read', 'lists:read'] }, 'duplicate scope: lists:read'],
    [{ ip_allow_list: ['::/0'] }, 'ip_allow_list must not allow all addresses'],
    [
      { ip_allow_list: ['x'] },
      'invalid ip_allow_list entry: x (an address or a network such as 192.0.2.0/24)',
    ],
    [{ nonsense: 1 }, 'unknown field: nonsense'],
    [{ public_key: 'x' }, 'public_key is not writable'],
  ])('refuses %j', async (body, message) => {
    const refused = await create(body);
    expect([refused.status, refused.body]).toEqual([400, { message }]);
  });

  it.each(['', '[]', 'null', '"x"', '{', '{"label":"x"'])('refuses the body %j', async (text) => {
    const refused = await call('POST', path(), { text });
    expect([refused.status, refused.body]).toEqual([400, { message: 'invalid request body' }]);
  });

  it('accepts 255 characters of any number of bytes, and an allow list of null', async () => {
    expect((await create({ label: '😀'.repeat(255), ip_allow_list: null })).status).toBe(201);
  });

  it('§4.4 replays the secret for the same idempotency key', async () => {
    const headers = { 'idempotency-key': newId() };
    const first = await create({}, { headers });
    const again = await create({}, { headers });
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(first.headers['idempotent-replayed']).toBeUndefined();
  });

  it('needs the scope api-keys:write', async () => {
    expect((await create({}, { scopes: ['api-keys:read'] })).status).toBe(403);
    expect((await create({}, { scopes: ['api-keys:write'] })).status).toBe(201);
  });
});

describe('§9 read API keys', () => {
  it('§1.3 pages newest first and visits every key once', async () => {
    for (let at = 0; at < 3; at += 1) await create({ label: `page ${at}` });
    const seen: string[] = [];
    let after = '';
    for (;;) {
      const { body } = await call('GET', path(`?limit=2${after}`));
      seen.push(...body.data.map((key: { id: string }) => key.id));
      expect(JSON.stringify(body)).not.toContain('secret');
      if (!body.pagination.has_more) break;
      after = `&after=${body.pagination.next_cursor}`;
    }
    const rows = await sql(
      'select id from api_keys where account_id = $1 order by created_at desc, id desc',
      [account],
    );
    expect(seen).toEqual(rows.map((row: { id: string }) => row.id));
  });

  it.each([
    ['/nonsense', 400, 'invalid key_id'],
    [`/${newId()}`, 404, 'api key not found'],
    ['?limit=0', 400, 'limit must be between 1 and 100'],
    ['?after=x', 400, 'invalid cursor'],
  ])('%s is %s', async (rest, status, message) => {
    const { status: answered, body } = await call('GET', path(rest));
    expect([answered, body]).toEqual([status, { message }]);
  });

  it("does not show another account's key", async () => {
    const made = await create({});
    const other = newId();
    const found = await accounts.call('GET', `/v2/accounts/${other}/api-keys/${made.body.id}`, {
      account_id: other,
    });
    expect(found.status).toBe(404);
  });
});

describe('§9 update an API key', () => {
  it('replaces scopes but keeps the rows of those that stay', async () => {
    const { body: key } = await create({
      scopes: ['lists:read', 'lists:write', 'messages:send:{shop.test}'],
    });
    const changed = await call('PUT', path(`/${key.id}`), {
      body: { scopes: ['contacts:read', 'messages:send:shop.test', 'lists:read'], label: null },
    });
    expect(changed.status).toBe(200);
    expect(changed.body.scopes.map((row: { scope: string }) => row.scope)).toEqual([
      'contacts:read',
      'messages:send:{shop.test}',
      'lists:read',
    ]);
    expect(changed.body.scopes[1]).toEqual(key.scopes[2]);
    expect(changed.body.scopes[2]).toEqual(key.scopes[0]);
    expect(changed.body.label).toBe('Production');
    expect(Date.parse(changed.body.updated_at)).toBeGreaterThan(Date.parse(key.updated_at) - 1);
    expect(changed.body.secret_key).toBeUndefined();
  });

  it.each([
    [{}, 400, 'at least one field must be provided'],
    [{ label: null, scopes: null }, 400, 'at least one field must be provided'],
    [{ label: 'Production', scopes: ['domains:read'] }, 400, 'no changes to apply'],
    [{ scopes: [] }, 400, 'scopes must have at least 1 items'],
    [{ id: newId() }, 400, 'id is not writable'],
  ])('2. %j is %s', async (body, status, message) => {
    const { body: key } = await create({});
    const refused = await call('PUT', path(`/${key.id}`), { body });
    expect([refused.status, refused.body]).toEqual([status, { message }]);
  });

  it('3.4 an empty allow list clears, null leaves it', async () => {
    const { body: key } = await create({ ip_allow_list: ['10.0.0.0/8'] });
    const renamed = await call('PUT', path(`/${key.id}`), { body: { label: 'x', ip_allow_list: null } });
    expect(renamed.body.ip_allow_list).toEqual(['10.0.0.0/8']);
    const cleared = await call('PUT', path(`/${key.id}`), { body: { ip_allow_list: [] } });
    expect(cleared.body.ip_allow_list).toEqual([]);
  });
});

describe('§9 delete an API key', () => {
  it('responds with id and label; a second delete is 404', async () => {
    const { body: key } = await create({ label: 'Old "one"' });
    const gone = await call('DELETE', path(`/${key.id.toUpperCase()}`));
    expect([gone.status, gone.body]).toEqual([
      200,
      { message: `api key ${key.id} (Old "one") deleted successfully` },
    ]);
    expect((await call('DELETE', path(`/${key.id}`))).status).toBe(404);
    expect((await call('GET', path(`/${key.id}`))).status).toBe(404);
  });

  it('is audited with its actor', async () => {
    const { body: key } = await create({});
    await call('DELETE', path(`/${key.id}`));
    const rows = await sql('select actor_kind, action from audit_entries where subject_id = $1 order by id', [
      key.id,
    ]);
    expect(rows).toEqual([
      { actor_kind: 'api-key', action: 'api-key.create' },
      { actor_kind: 'api-key', action: 'api-key.delete' },
    ]);
  });
});

describe('which keys exist', () => {
  it('is visible to other services, for the keys of one account', async () => {
    const [kept, gone] = [(await create({})).body.id, (await create({})).body.id];
    await call('DELETE', path(`/${gone}`));
    const existing = async (id: string) =>
      (
        await accounts.internal('POST', `/internal/accounts/${id}/api-keys/existing`, {
          key_ids: [kept, gone, newId()],
        })
      ).body;
    expect(await existing(account)).toEqual({ key_ids: [kept] });
    expect(await existing(newId())).toEqual({ key_ids: [] });
  });
});

describe('§7 get account', () => {
  it('shows the account, and 404 for one that is not there', async () => {
    const got = await call('GET', `/v2/accounts/${account}`);
    expect(got.status).toBe(200);
    expect(got.body).toMatchObject({
      object: 'account',
      id: account,
      parent_account_id: null,
      name: 'Postmesh',
      website: '',
      track_opens: false,
      message_metadata_retention: 7,
      message_data_retention: 7,
    });
    expect(Object.keys(got.body)).not.toContain('suspended_at');
    const other = await accounts.call('GET', `/v2/accounts/${accounts.accountId}`);
    expect([other.status, other.body]).toEqual([404, { message: 'account not found' }]);
  });
});
