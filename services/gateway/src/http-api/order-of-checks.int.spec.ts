import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process', { trustedProxies: ['127.0.0.1'] });
});
afterAll(() => gateway.stop());

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface Ask {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'PATCH';
  secret?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

async function ask(path: string, { method = 'GET', secret, headers, body }: Ask = {}) {
  const response = await request(`${gateway.url}${path}`, {
    method,
    headers: { ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }), ...headers },
    body: body ?? null,
  });
  const text = await response.body.text();
  expect(response.headers['x-request-id']).toMatch(UUID_V7);
  if (response.statusCode >= 400 && method !== 'HEAD') {
    expect(response.headers['content-type']).toBe('application/json');
    expect(Object.keys(JSON.parse(text))).toEqual(['message']);
  }
  return {
    status: response.statusCode,
    headers: response.headers,
    message: text === '' ? '' : String(JSON.parse(text).message),
  };
}

const messages = (account: string, rest = '/conversation') => `/v2/accounts/${account}/messages${rest}`;

describe('§6 ping', () => {
  it('answers any valid key', async () => {
    const key = gateway.accounts.addKey({ scopes: [] });
    expect(await ask('/v2/ping', { secret: key.secret })).toMatchObject({ status: 200, message: 'pong' });
  });
});

describe('§1.1.5 x-request-id', () => {
  it('is made here, on every answer, whatever the client sends', async () => {
    const key = gateway.accounts.addKey();
    const mine = newId();
    for (const path of ['/v2/ping', '/v2/nothing', '/', '/%zz', messages(key.accountId, '/1')]) {
      const { headers } = await ask(path, { secret: key.secret, headers: { 'x-request-id': mine } });
      expect(headers['x-request-id']).not.toBe(mine);
    }
  });
});

describe('§1.5 the order of checks', () => {
  it('2. an unknown path is 404 before anything is known of the caller', async () => {
    for (const path of [
      '/',
      '/v2',
      '/v2/nothing',
      '/health/live',
      '/metrics',
      '/internal/keys/lookup',
      '/%zz',
    ]) {
      expect(await ask(path)).toMatchObject({ status: 404, message: 'not found' });
    }
  });

  it('2. a wrong method is 405 with the right ones, before the token', async () => {
    const account = newId();
    for (const method of ['PUT', 'OPTIONS', 'PATCH', 'HEAD'] as const) {
      const refused = await ask(messages(account), { method });
      expect([refused.status, refused.headers['allow']]).toEqual([405, 'POST']);
    }
    const refused = await ask(`/v2/accounts/${account}/api-keys`, { method: 'DELETE' });
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, POST']);
  });

  it('3. no bearer token is 401 before everything else', async () => {
    const badAccount = messages('nonsense');
    const given: Record<string, string>[] = [{}, { authorization: 'Basic x' }, { 'x-api-key': 'x' }];
    for (const headers of given) {
      expect(
        await ask(badAccount, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'text/plain' },
          body: 'x',
        }),
      ).toMatchObject({ status: 401, message: 'missing or malformed bearer token' });
    }
  });

  it('4. an unknown key is 401 before the account is looked at', async () => {
    expect(await ask(messages('nonsense'), { method: 'POST', secret: 'pm-sk-unknown' })).toMatchObject({
      status: 401,
      message: 'invalid API key',
    });
  });

  it('4. a blocked account is 401, even from a wrong address', async () => {
    const key = gateway.accounts.addKey({ blocked: true, allowList: ['192.0.2.0/24'] });
    expect(await ask('/v2/ping', { secret: key.secret })).toMatchObject({
      status: 401,
      message: 'account is suspended',
    });
  });

  it('5. a wrong address is 403 on every path, before the account is looked at', async () => {
    const key = gateway.accounts.addKey({ allowList: ['192.0.2.0/24'] });
    for (const path of ['/v2/ping', messages('nonsense', '/1'), messages(newId(), '/1')]) {
      expect(await ask(path, { secret: key.secret })).toMatchObject({
        status: 403,
        message: 'Request rejected by the API key IP allow list',
      });
    }
    const allowed = { secret: key.secret, headers: { 'x-forwarded-for': '198.51.100.1, 192.0.2.9' } };
    expect((await ask('/v2/ping', allowed)).status).toBe(200);
  });

  it('6. a bad account id is 400, another account is 401', async () => {
    const key = gateway.accounts.addKey();
    const bad = {
      method: 'POST',
      secret: key.secret,
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    } as const;
    expect(await ask(messages('nonsense'), bad)).toMatchObject({
      status: 400,
      message: 'invalid account_id',
    });
    expect(await ask(messages(newId()), bad)).toMatchObject({ status: 401, message: 'invalid API key' });
    const upper = await ask(messages(key.accountId.toUpperCase(), '/1'), { secret: key.secret });
    expect(upper.status).toBe(200);
  });

  it('8. a wrong content type is 415, a missing one is JSON', async () => {
    const key = gateway.accounts.addKey();
    const send = (headers: Record<string, string>) =>
      ask(messages(key.accountId), { method: 'POST', secret: key.secret, headers, body: '{}' });
    expect(await send({ 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      message: 'content type must be application/json',
    });
    expect((await send({ 'content-type': 'application/json; charset=utf-8' })).status).toBe(202);
    expect((await send({})).status).toBe(202);
  });
});

describe('§5 rate limits', () => {
  let limited: TestGateway;
  beforeAll(async () => {
    limited = await startGateway(database.url, 'in process', {
      rateGeneralPerSecond: 1,
      rateGeneralBurst: 3,
    });
  });
  afterAll(() => limited.stop());

  const ping = async (secret: string) => {
    const response = await request(`${limited.url}/v2/ping`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    await response.body.dump();
    return response;
  };

  it('1. are shared by all keys of an account, and apart between accounts', async () => {
    const one = limited.accounts.addKey();
    const same = limited.accounts.addKey({ accountId: one.accountId });
    const other = limited.accounts.addKey();
    const statuses = [];
    for (const { secret } of [one, same, one, same, one, other]) {
      const { statusCode } = await ping(secret);
      statuses.push(statusCode);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 200]);
    const refused = await ping(one.secret);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.headers).not.toHaveProperty('x-ratelimit-limit');
  });

  it('5. failed authentication is limited per address, valid keys are not', async () => {
    const key = limited.accounts.addKey();
    const began = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => (await ping('pm-sk-wrong')).statusCode),
    );
    // 40 at once and 20 in each second
    const allowed = 40 + 20 * Math.ceil((performance.now() - began) / 1_000);
    const refused = statuses.filter((status) => status === 429).length;
    expect(statuses.filter((status) => status === 401).length).toBe(200 - refused);
    expect(refused).toBeGreaterThanOrEqual(200 - allowed);
    expect(refused).toBeLessThanOrEqual(160);
    expect((await ping(key.secret)).statusCode).toBe(200);
  });
});
