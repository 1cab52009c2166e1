import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { newChild, newChildKey } from './families.js';
import {
  expectError,
  sharedInstallation,
  TIMESTAMP,
  uniqueDomain,
  UUID_V7,
  type Account,
  type ApiOptions,
} from './harness.js';

const postmesh = sharedInstallation();
let parent: Account;
let child: Account;
beforeAll(async () => {
  parent = await postmesh.newAccount();
  child = await newChild(postmesh, parent);
});

const call = (method: string, rest: string, options: ApiOptions = {}) =>
  postmesh.api(parent.key, method, `{A}/sub-accounts${rest}`, options);
const keys = (method: string, rest = '', options: ApiOptions = {}) =>
  call(method, `/${child.id}/api-keys${rest}`, options);
const create = (body: object = {}, headers: Record<string, string> = {}) =>
  keys('POST', '', { body: { label: 'Production', scopes: ['accounts:read'], ...body }, headers });

describe("§10.3 a child's keys", () => {
  it('§10.3 create answers a key of the child with its secret, which no other answer shows', async () => {
    const { status, body } = await create({ label: ' Production ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'api_key',
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: body.created_at,
      last_used_at: null,
      account_id: child.id,
      label: 'Production',
      public_key: expect.any(String),
      secret_key: expect.any(String),
      scopes: [expect.objectContaining({ scope: 'accounts:read', api_key_id: body.id, domain_id: null })],
      ip_allow_list: [],
    });
    const { secret_key: secret, ...rest } = body;
    expect((await keys('GET', `/${body.id}`)).body).toEqual(rest);
    expect((await keys('GET', '?limit=1')).body.data).toEqual([rest]);
    const used = await postmesh.api(secret, 'GET', `/v2/accounts/${child.id}`);
    expect([used.status, used.body.id]).toEqual([200, child.id]);
    expectError(await postmesh.api(secret, 'GET', `/v2/accounts/${parent.id}`), 401, 'invalid API key');
  });

  it('§10.3 create takes domains of the child in scopes, and no scope over sub-accounts', async () => {
    const [theirs, ours] = [uniqueDomain(), uniqueDomain()];
    await postmesh.api(child.key, 'POST', '{A}/domains', { body: { domain: theirs } });
    await postmesh.api(parent.key, 'POST', '{A}/domains', { body: { domain: ours } });
    const made = await create({ scopes: [`messages:send:${theirs.toUpperCase()}.`] });
    expect(made.body.scopes[0]).toMatchObject({
      scope: `messages:send:{${theirs}}`,
      domain_id: expect.any(String),
    });
    const scope = `messages:send:{${ours}}`;
    expectError(await create({ scopes: [scope] }), 400, `domain not found in scope: ${scope}`);
    for (const one of ['sub-accounts:read', 'sub-account-api-keys:write', 'sub-account-api-keys:delete']) {
      expectError(await create({ scopes: [one] }), 400, `scope is not allowed for a sub account key: ${one}`);
    }
  });

  it('§10.3 create is idempotent in the namespace of the parent, with its secret for five minutes', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [first, again] = [await create({}, headers), await create({}, headers)];
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    const other = await postmesh.api(parent.key, 'POST', '{A}/api-keys', {
      body: { label: 'Own', scopes: ['lists:read'] },
      headers,
    });
    expectError(other, 422, 'idempotency key was already used with a different request payload');
    const own = await postmesh.api(child.key, 'POST', '{A}/api-keys', {
      body: { label: 'Own', scopes: ['lists:read'] },
      headers,
    });
    expect([own.status, own.headers['idempotent-replayed']]).toEqual([201, undefined]);
    const held = { 'idempotency-key': randomUUID() };
    expectError(await create({ label: '' }, held), 400);
    const retried = await create({ label: '' }, held);
    expect([retried.status, Number(retried.headers['retry-after']) > 0]).toEqual([409, true]);
  });

  it('§10.3 update counts in the next request, and has no guard against lockout', async () => {
    const { body: key } = await create();
    const use = () => postmesh.api(key.secret_key, 'GET', `/v2/accounts/${child.id}`);
    expect((await use()).status).toBe(200);
    const locked = await keys('PUT', `/${key.id}`, { body: { ip_allow_list: ['192.0.2.0/24'] } });
    expect([locked.status, locked.body.ip_allow_list]).toEqual([200, ['192.0.2.0/24']]);
    expectError(await use(), 403, 'Request rejected by the API key IP allow list');
    await keys('PUT', `/${key.id}`, { body: { ip_allow_list: [], scopes: ['lists:read'] } });
    expectError(await use(), 403, 'insufficient permissions for the required scope');
    expectError(await keys('PUT', `/${key.id}`, { body: {} }), 400, 'at least one field must be provided');
    const same = { scopes: ['lists:read'], label: 'Production' };
    expectError(await keys('PUT', `/${key.id}`, { body: same }), 400, 'no changes to apply');
    const renamed = await keys('PUT', `/${key.id}`, { body: { label: 'Other' } });
    expect([renamed.status, renamed.body.label]).toEqual([200, 'Other']);
  });

  it('§10.3 delete is final in the next request', async () => {
    const { body: key } = await create({ label: 'Old' });
    expect((await postmesh.api(key.secret_key, 'GET', '/v2/ping')).status).toBe(200);
    const gone = await keys('DELETE', `/${key.id}`);
    expect([gone.status, gone.body]).toEqual([
      200,
      { message: `api key ${key.id} (Old) deleted successfully` },
    ]);
    expectError(await postmesh.api(key.secret_key, 'GET', '/v2/ping'), 401, 'invalid API key');
    for (const method of ['GET', 'DELETE']) {
      expectError(await keys(method, `/${key.id}`), 404, 'api key not found');
    }
  });

  it('§10.3 list is paginated and holds the keys of that child alone', async () => {
    const other = await newChild(postmesh, parent);
    const ids = [other.key.id];
    for (let at = 0; at < 2; at += 1) ids.unshift((await newChildKey(postmesh, parent, other.id)).id);
    const page = async (query: string) => (await call('GET', `/${other.id}/api-keys${query}`)).body;
    const first = await page('?limit=2');
    const second = await page(`?limit=2&after=${first.pagination.next_cursor}`);
    const seen = [...first.data, ...second.data].map((key: { id: string }) => key.id);
    expect([seen, second.pagination.has_more]).toEqual([ids, false]);
    expect(JSON.stringify([first, second])).not.toContain('secret');
  });

  it('§10.3 answers 404 for a child that is not there and for a key that is not its own', async () => {
    const gone = await newChild(postmesh, parent);
    await call('DELETE', `/${gone.id}`);
    for (const id of [gone.id, randomUUID()]) {
      expectError(await call('GET', `/${id}/api-keys`), 404, 'sub account not found');
      const body = { label: 'k', scopes: ['lists:read'] };
      expectError(await call('POST', `/${id}/api-keys`, { body }), 404, 'sub account not found');
    }
    for (const id of [parent.key.id, (await newChild(postmesh, parent)).key.id]) {
      expectError(await keys('GET', `/${id}`), 404, 'api key not found');
      expectError(await keys('PUT', `/${id}`, { body: { label: 'x' } }), 404, 'api key not found');
      expectError(await keys('DELETE', `/${id}`), 404, 'api key not found');
    }
    expectError(await call('GET', '/nonsense/api-keys'), 400, 'invalid sub_account_id');
    expectError(await keys('GET', '/nonsense'), 400, 'invalid key_id');
    const nothing = `/${randomUUID()}/api-keys/nonsense`;
    expectError(await call('PUT', nothing, { body: { label: 'x' } }), 400, 'invalid key_id');
  });

  it('§10.3 keys are managed while the child is suspended', async () => {
    const paused = await newChild(postmesh, parent);
    await call('POST', `/${paused.id}/suspend`, { body: { reason: 'x' } });
    const key = await newChildKey(postmesh, parent, paused.id);
    expect((await postmesh.api(key, 'GET', '{A}')).status).toBe(200);
    const path = `/${paused.id}/api-keys/${key.id}`;
    expect((await call('PUT', path, { body: { label: 'Other' } })).status).toBe(200);
    expect((await call('DELETE', path)).status).toBe(200);
  });

  it.each([
    ['GET', '', 'sub-account-api-keys:read'],
    ['POST', '', 'sub-account-api-keys:write'],
    ['GET', '/{id}', 'sub-account-api-keys:read'],
    ['PUT', '/{id}', 'sub-account-api-keys:write'],
    ['DELETE', '/{id}', 'sub-account-api-keys:delete'],
  ])('§10.3 %s api-keys%s needs %s', async (method, rest, scope) => {
    const path = `{A}/sub-accounts/${child.id}/api-keys${rest.replace('{id}', randomUUID())}`;
    const options = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    const others = ['read', 'write', 'delete'].map((one) => `sub-account-api-keys:${one}`);
    const scopes = [...others.filter((one) => one !== scope), 'api-keys:write', 'sub-accounts:write'];
    const without = await postmesh.newKey(parent, { scopes });
    const refused = await postmesh.api(without, method, path, options);
    expectError(refused, 403, 'insufficient permissions for the required scope');
    const withIt = await postmesh.newKey(parent, { scopes: [scope] });
    expect((await postmesh.api(withIt, method, path, options)).status).not.toBe(403);
  });
});
