import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  UUID_V7,
  type Account,
  type ApiKey,
  type HttpResponse,
} from './harness.js';

const postmesh = sharedInstallation();
const NOBODY = '0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d';
let account: Account;
let shop: string;
beforeAll(async () => {
  account = await postmesh.newAccount();
  shop = await postmesh.verifiedDomain(account);
});

const create = (body: object = {}, headers: Record<string, string> = {}) =>
  postmesh.api(account.key, 'POST', '{A}/api-keys', {
    body: { label: 'Production', scopes: ['lists:read'], ...body },
    headers,
  });
const read = (id: string) => postmesh.api(account.key, 'GET', `{A}/api-keys/${id}`);
const update = (id: string, body: unknown, by: ApiKey = account.key) =>
  postmesh.api(by, 'PUT', `{A}/api-keys/${id}`, { body });
const remove = (id: string, by: ApiKey = account.key) => postmesh.api(by, 'DELETE', `{A}/api-keys/${id}`);
const scopesOf = ({ body }: HttpResponse): string[] =>
  body.scopes.map(({ scope }: { scope: string }) => scope);

describe('§9 resource', () => {
  it('§9 shows a key with every field of the table, and its secret only on create', async () => {
    const made = await create({ scopes: [`messages:send:{${shop}}`, 'lists:read'] });
    const domain = (await postmesh.api(account.key, 'GET', `{A}/domains/${shop}`)).body;
    const scope = (text: string, domainId: string | null) => ({
      id: expect.stringMatching(UUID_V7),
      created_at: made.body.created_at,
      updated_at: made.body.created_at,
      api_key_id: made.body.id,
      scope: text,
      domain_id: domainId,
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      object: 'api_key',
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: made.body.created_at,
      last_used_at: null,
      account_id: account.id,
      label: 'Production',
      public_key: expect.stringMatching(/-pk-[A-Za-z0-9]{32}$/),
      scopes: [scope(`messages:send:{${shop}}`, domain.id), scope('lists:read', null)],
      ip_allow_list: [],
      secret_key: expect.stringMatching(/-sk-[A-Za-z0-9]{64}$/),
    });
    const { secret_key: _secret, ...shown } = made.body;
    expect((await read(made.body.id)).body).toEqual(shown);
    const listed = (await postmesh.api(account.key, 'GET', '{A}/api-keys?limit=1')).body;
    expect(listed).toEqual({
      object: 'list',
      data: [shown],
      pagination: { has_more: true, next_cursor: expect.any(String) },
    });
  });

  it('§9 lists every key of the account, send-only ones included, and none of others', async () => {
    const fresh = await postmesh.newAccount();
    const sender = await postmesh.newKey(fresh, { scopes: ['messages:send:all'] });
    const { data } = (await postmesh.api(fresh.key, 'GET', '{A}/api-keys')).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([sender.id, fresh.key.id]);
  });

  it.each([
    ['GET', '', 'api-keys:read'],
    ['GET', `/${NOBODY}`, 'api-keys:read'],
    ['POST', '', 'api-keys:write'],
    ['PUT', `/${NOBODY}`, 'api-keys:write'],
    ['DELETE', `/${NOBODY}`, 'api-keys:delete'],
  ])('§9 %s %s needs %s', async (method, rest, scope) => {
    const families = ['api-keys:read', 'api-keys:write', 'api-keys:delete'];
    const without = await postmesh.newKey(account, { scopes: families.filter((one) => one !== scope) });
    const granted = await postmesh.newKey(account, { scopes: [scope] });
    const options = method === 'POST' || method === 'PUT' ? { body: {} } : {};
    expectError(
      await postmesh.api(without, method, `{A}/api-keys${rest}`, options),
      403,
      'insufficient permissions for the required scope',
    );
    expect((await postmesh.api(granted, method, `{A}/api-keys${rest}`, options)).status).not.toBe(403);
  });
});

describe('§9 create', () => {
  it.each([
    [{ label: undefined }, 'label is required'],
    [{ label: ' ' }, 'label must not be empty'],
    [{ label: 'a'.repeat(256) }, 'label must be at most 255 characters'],
    [{ label: 7 }, 'label must be a string'],
    [{ scopes: undefined }, 'scopes is required'],
    [{ scopes: [] }, 'scopes must have at least 1 items'],
    [{ scopes: 'lists:read' }, 'scopes must be an array'],
    [{ scopes: ['nonsense'] }, 'invalid scope: nonsense (for example messages:send:all)'],
    [{ scopes: ['lists:read', 'lists:read'] }, 'duplicate scope: lists:read'],
    [{ scopes: ['messages:send:{nobody.test}'] }, 'domain not found in scope: messages:send:{nobody.test}'],
    [{ secret_key: 'x' }, 'secret_key is not writable'],
    [{ colour: 1 }, 'unknown field: colour'],
  ])('§9 table refuses case %#: %j', async (body, message) => {
    expectError(await create(body), 400, message);
  });

  it('§9 table trims the label, counts its characters, and takes null for no allow list', async () => {
    const long = '😀'.repeat(255);
    const made = await create({ label: `  ${long} `, ip_allow_list: null });
    expect([made.status, made.body.label, made.body.ip_allow_list]).toEqual([201, long, []]);
  });

  it('§9 create replays its answer, secret included', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const first = await create({}, headers);
    const again = await create({}, headers);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.bytes).toEqual(first.bytes);
  });
});

describe('§9 update', () => {
  it('§9 update rule 1 every field is optional; omitted and null stay', async () => {
    const { body: key } = await create({ ip_allow_list: ['192.0.2.0/24'] });
    const renamed = await update(key.id, { label: ' Renamed ', scopes: null, ip_allow_list: null });
    expect(renamed.status).toBe(200);
    const { secret_key: _secret, ...shown } = key;
    expect(renamed.body).toEqual({ ...shown, label: 'Renamed', updated_at: renamed.body.updated_at });
    expect(renamed.body.updated_at > key.updated_at).toBe(true);
    expect((await read(key.id)).body).toEqual(renamed.body);
  });

  it.each([
    [{}, 'at least one field must be provided'],
    [{ label: null, scopes: null, ip_allow_list: null }, 'at least one field must be provided'],
    [{ label: 'Production' }, 'no changes to apply'],
    [{ scopes: ['lists:write', 'lists:read'] }, 'no changes to apply'],
    [{ ip_allow_list: ['192.0.2.9/24'] }, 'no changes to apply'],
    [
      { label: ' Production ', scopes: ['lists:read', 'lists:write'], ip_allow_list: ['192.0.2.0/24'] },
      'no changes to apply',
    ],
    [{ scopes: [] }, 'scopes must have at least 1 items'],
    [{ label: '' }, 'label must not be empty'],
    [{ id: NOBODY }, 'id is not writable'],
  ])('§9 update rule 2 refuses case %#: %j', async (body, message) => {
    const { body: key } = await create({
      scopes: ['lists:read', 'lists:write'],
      ip_allow_list: ['192.0.2.0/24'],
    });
    expectError(await update(key.id, body), 400, message);
    expect((await read(key.id)).body.updated_at).toBe(key.updated_at);
  });

  it('§9 update rule 3 scopes replaces the whole set, also of the key itself, from the next request on', async () => {
    const key = await postmesh.newKey(account, { scopes: ['api-keys:read', 'api-keys:write', 'lists:read'] });
    const changed = await update(key.id, { scopes: ['accounts:read', 'lists:read'] }, key);
    expect([changed.status, scopesOf(changed)]).toEqual([200, ['accounts:read', 'lists:read']]);
    expect((await postmesh.api(key, 'GET', '{A}')).status).toBe(200);
    expectError(
      await update(key.id, { label: 'x' }, key),
      403,
      'insufficient permissions for the required scope',
    );
  });

  it('§9 update rule 4 a key that would lock itself out is 409', async () => {
    const key = await postmesh.newKey(account);
    const refused = await update(key.id, { ip_allow_list: ['192.0.2.0/24'] }, key);
    expectError(refused, 409, 'ip_allow_list would exclude your current IP address');
  });

  it('§9 update of an unknown key is 404', async () => {
    expectError(await update(NOBODY, { label: 'x' }), 404, 'api key not found');
    expectError(await read(NOBODY), 404, 'api key not found');
    expectError(await read('nonsense'), 400, 'invalid key_id');
  });
});

describe('§9 delete', () => {
  it('§9 delete answers with id and label; a second one is 404', async () => {
    const { body: key } = await create({ label: 'Old <one>' });
    const gone = await remove(key.id);
    expect([gone.status, gone.body]).toEqual([
      200,
      { message: `api key ${key.id} (Old <one>) deleted successfully` },
    ]);
    expectError(await remove(key.id), 404, 'api key not found');
    expectError(await read(key.id), 404, 'api key not found');
    expectError(await postmesh.api(key.secret_key, 'GET', '/v2/ping'), 401, 'invalid API key');
  });

  it('§9 delete a key may delete itself; its next request is 401', async () => {
    const key = await postmesh.newKey(account);
    expect((await remove(key.id, key)).status).toBe(200);
    expectError(await postmesh.api(key, 'GET', '/v2/ping'), 401, 'invalid API key');
  });

  it("§9 delete does not reach another account's keys", async () => {
    const other = await postmesh.newAccount();
    expectError(await remove(other.key.id), 404, 'api key not found');
    expect((await postmesh.api(other.key, 'GET', '/v2/ping')).status).toBe(200);
  });

  it('§9 delete messages that were accepted already are still delivered', async () => {
    const key = await postmesh.newKey(account, { scopes: ['messages:send:all'] });
    const subject = unique('Last order');
    const sent = await postmesh.api(key, 'POST', '{A}/messages/conversation', {
      body: {
        from: { email: `news@${shop}` },
        to: [{ email: `${unique('ann')}@mail.test` }],
        subject,
        text_content: 'Thanks!',
      },
    });
    expect(sent.status).toBe(202);
    expect((await remove(key.id)).status).toBe(200);
    const id = encodeURIComponent(sent.body.data[0].id);
    const status = async () =>
      (await postmesh.api(account.key, 'GET', `{A}/messages/${id}`)).body.status as string;
    await expect.poll(status).toBe('Delivered');
  });
});
