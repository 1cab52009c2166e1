import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectError,
  freshIp,
  sharedInstallation,
  unique,
  uniqueDomain,
  type Account,
  type ApiKey,
  type ApiOptions,
} from './harness.js';

// A slow bucket stays empty while the later checks are tested.
const BURST = 10;
const postmesh = sharedInstallation();

const WRONG_TYPE: ApiOptions = { rawBody: '{', headers: { 'content-type': 'text/plain' } };
const REFUSED_IP = 'Request rejected by the API key IP allow list';
const LIMITED = 'Too many requests, rate limited.';
const SCOPE = 'insufficient permissions for the required scope';
const UNKNOWN = '0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d';

/** An account that has used all general tokens. */
async function exhausted(scopes: readonly string[], ip_allow_list: readonly string[] = []): Promise<ApiKey> {
  const account = await postmesh.newAccount();
  const key = await postmesh.operatorKey(account.id, { scopes, ip_allow_list });
  const rate_limits = { general: { per_second: 1, burst: BURST } };
  const limited = await postmesh.operator('PUT', `/operator/accounts/accounts/${account.id}`, {
    rate_limits,
  });
  expect(limited.status).toBe(200);
  await drain(account.key);
  return key;
}

async function drain(key: ApiKey): Promise<void> {
  const ping = () => postmesh.api(key, 'GET', '/v2/ping');
  const statuses = (await Promise.all(Array.from({ length: BURST + 1 }, ping))).map(({ status }) => status);
  expect(statuses).toContain(429);
}

let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

describe('§1.5 order: each check decides although every later one would refuse, too', () => {
  it('§1.5 order 1 a request id is there on the first error', async () => {
    const response = await postmesh.raw(['GET /nothing HTTP/1.1', 'Host: x', 'Connection: close']);
    expectError(response, 404, 'not found');
  });

  it('§1.5 order 2 the path (404, 405) comes before the token', async () => {
    expectError(await postmesh.api(null, 'POST', '/v2/nothing', WRONG_TYPE), 404, 'not found');
    expectError(await postmesh.api(null, 'PATCH', '/v2/ping', WRONG_TYPE), 405, 'method not allowed');
    expectError(await postmesh.api('pm-sk-x', 'GET', '/v2/accounts/nonsense/nothing'), 404, 'not found');
  });

  it('§1.5 order 3 the token (401) comes before the account of the path and the body', async () => {
    const given: Record<string, string>[] = [{}, { authorization: 'Basic x' }, { 'x-api-key': 'x' }];
    for (const more of given) {
      const options = { ...WRONG_TYPE, headers: { ...WRONG_TYPE.headers, ...more } };
      const response = await postmesh.api(null, 'POST', '/v2/accounts/nonsense/api-keys', options);
      expectError(response, 401, 'missing or malformed bearer token');
    }
  });

  it('§1.5 order 4 key look-up and block (401) come before the allow list and the account id', async () => {
    const path = '/v2/accounts/nonsense/api-keys';
    expectError(await postmesh.api('pm-sk-x', 'POST', path, WRONG_TYPE), 401, 'invalid API key');
    const blocked = await postmesh.newAccount();
    const key = await postmesh.operatorKey(blocked.id, { scopes: ['*'], ip_allow_list: ['192.0.2.7'] });
    await postmesh.operator('POST', `/operator/accounts/accounts/${blocked.id}/block`, { reason: 'x' });
    expectError(await postmesh.api(key, 'POST', path, WRONG_TYPE), 401, 'account is suspended');
  });

  it('§1.5 order 5 the allow list (403) comes before the account id, the rate limit and the body', async () => {
    const key = await exhausted(['*'], ['192.0.2.7']);
    for (const path of [
      '/v2/accounts/nonsense/api-keys',
      `/v2/accounts/${account.id}/api-keys`,
      '{A}/api-keys',
    ]) {
      expectError(await postmesh.api(key, 'POST', path, WRONG_TYPE), 403, REFUSED_IP);
    }
  });

  it('§1.5 order 6 account id (400) and ownership (401) come before the rate limit', async () => {
    const key = await exhausted(['*']);
    const at = (id: string) =>
      postmesh.api(key, 'POST', `/v2/accounts/${id}/api-keys`, { ...WRONG_TYPE, clientIp: freshIp() });
    expectError(await at('nonsense'), 400, 'invalid account_id');
    expectError(await at(account.id), 401, 'invalid API key');
    expectError(await at(UNKNOWN), 401, 'invalid API key');
  });

  it('§1.5 order 7 the rate limit (429) comes before content type, size, idempotency and scope', async () => {
    const key = await exhausted(['accounts:billing']);
    expectError(await postmesh.api(key, 'POST', '{A}/api-keys', WRONG_TYPE), 429, LIMITED);
    const long = { 'idempotency-key': 'k'.repeat(300) };
    await drain(key);
    expectError(await postmesh.api(key, 'POST', '{A}/domains', { body: {}, headers: long }), 429, LIMITED);
    await drain(key);
    expectError(
      await postmesh.raw([
        `POST /v2/accounts/${key.accountId}/domains HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${key.secret}`,
        'Content-Length: 40000000',
        'Connection: close',
      ]),
      429,
      LIMITED,
    );
  });

  it('§1.5 order 8 content type (415) and size (413) come before idempotency and scope', async () => {
    const key = await postmesh.newKey(account, { scopes: ['accounts:billing'] });
    const headers = { 'content-type': 'text/plain', 'idempotency-key': 'k'.repeat(300) };
    expectError(
      await postmesh.api(key, 'POST', '{A}/domains', { rawBody: '{', headers }),
      415,
      'content type must be application/json',
    );
    expectError(
      await postmesh.raw([
        `POST /v2/accounts/${key.accountId}/domains HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${key.secret}`,
        `Idempotency-Key: ${'k'.repeat(300)}`,
        'Content-Length: 40000000',
        'Connection: close',
      ]),
      413,
      'request body is too large',
    );
  });

  it('§1.5 order 9 idempotency (400 of its header, 422) comes before scope and body', async () => {
    const key = await postmesh.newKey(account, { scopes: ['accounts:billing'] });
    expectError(
      await postmesh.api(key, 'POST', '{A}/domains', {
        rawBody: '{',
        headers: { 'idempotency-key': 'k'.repeat(256) },
      }),
      400,
      'idempotency key must be at most 255 characters',
    );
    const headers = { 'idempotency-key': unique('k') };
    const body = { domain: uniqueDomain() };
    expect((await postmesh.api(account.key, 'POST', '{A}/domains', { body, headers })).status).toBe(201);
    expectError(await postmesh.api(key, 'POST', '{A}/domains', { rawBody: '{', headers }), 422);
  });

  it('§1.5 order 10 scope (403) comes before path ids, query and body', async () => {
    const key = await postmesh.newKey(account, { scopes: ['accounts:billing'] });
    expectError(await postmesh.api(key, 'GET', '{A}/api-keys/nonsense'), 403, SCOPE);
    expectError(await postmesh.api(key, 'GET', '{A}/api-keys?limit=0'), 403, SCOPE);
    expectError(await postmesh.api(key, 'POST', '{A}/domains', { rawBody: '{' }), 403, SCOPE);
    expectError(
      await postmesh.api(key, 'PUT', '{A}/webhooks/nonsense', { rawBody: '{' }),
      403,
      'api key does not have sufficient permissions to write webhooks',
    );
  });

  it('§1.5 order 11 path ids and query (400) come before the body', async () => {
    const put = (path: string) => postmesh.api(account.key, 'PUT', path, { rawBody: '{' });
    expectError(await put('{A}/api-keys/nonsense'), 400, 'invalid key_id');
    expectError(await put('{A}/webhooks/nonsense'), 400, 'invalid webhook_id');
  });

  it('§1.5 order 12 the body (400) comes before the resource is looked up', async () => {
    for (const path of [`{A}/api-keys/${UNKNOWN}`, `{A}/webhooks/${UNKNOWN}`]) {
      expectError(await postmesh.api(account.key, 'PUT', path, { body: { colour: 1 } }), 400);
    }
    const suspended = await postmesh.newAccount();
    await postmesh.operator('POST', `/operator/accounts/accounts/${suspended.id}/suspend`, { reason: 'x' });
    expectError(
      await postmesh.api(suspended.key, 'POST', '{A}/domains', { body: { domain: 7 } }),
      400,
      'domain must be a string',
    );
  });

  it('§1.5 order 13 look-ups come last: 404, then domain-aware 403', async () => {
    const domain = uniqueDomain();
    await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain } });
    const key = await postmesh.newKey(account, { scopes: [`webhooks:write:{${domain}}`] });
    const body = { name: 'n' };
    expectError(
      await postmesh.api(key, 'PUT', `{A}/webhooks/${UNKNOWN}`, { body }),
      404,
      'webhook not found',
    );
    const global = await postmesh.api(account.key, 'POST', '{A}/webhooks', {
      body: { name: 'n', url: 'http://127.0.0.1:9/', scope: 'global', on_dns_error: true },
    });
    expectError(await postmesh.api(key, 'PUT', `{A}/webhooks/${global.body.id}`, { body }), 403);
  });
});
