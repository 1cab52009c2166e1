import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCOUNTS_SERVICE, FirstAccount } from '@postmesh/accounts';
import { newId } from '@postmesh/contracts';
import { GATEWAY_SERVICE, GatewayListeners } from '@postmesh/gateway';
import { ServiceDirectory } from '@postmesh/http';
import { MESSAGES_SERVICE } from '@postmesh/messages';
import { startService, type RunningService } from '@postmesh/service-host';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const [database, registerDatabase] = [testDatabase(), testDatabase()];
let accounts: TestService;
/** keeps the register of idempotency keys */
let messages: TestService;
let dataDir: string;
let root: { account_id: string; api_key: string };
const gateways: RunningService[] = [];
/** the first reaches the accounts service in process, the second over HTTP */
const urls: string[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'postmesh-keys-'));
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    settings: {
      dataDir,
      httpPort: 0,
      mxPort: 0,
      submissionPorts: [0],
      rateGeneralPerSecond: 10_000,
      rateGeneralBurst: 10_000,
      trustedProxies: ['127.0.0.1'],
    },
    neighbours: {
      domains: ({ path }) =>
        path.endsWith('/shop.test')
          ? { status: 200, body: { domain_id: newId(), domain: 'shop.test' } }
          : { status: 404, body: {} },
    },
  });
  root = await accounts.service.get(FirstAccount).create();
  const port = await accounts.service.listen('127.0.0.1', 0);
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: registerDatabase.url,
  });
  const registerPort = await messages.service.listen('127.0.0.1', 0);
  const remote = new ServiceDirectory({
    accounts: `http://127.0.0.1:${port}`,
    messages: `http://127.0.0.1:${registerPort}`,
  });
  for (const directory of [accounts.context.directory, remote]) {
    const gateway = await startService(GATEWAY_SERVICE, { ...accounts.context, directory });
    gateways.push(gateway);
    urls.push(`http://127.0.0.1:${(await gateway.get(GatewayListeners).open()).httpPort}`);
  }
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await Promise.all([accounts.stop(), messages.stop()]);
  await rm(dataDir, { recursive: true, force: true });
});

interface Ask {
  secret?: string;
  gateway?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

async function ask(method: string, path: string, { secret, gateway = 0, body, headers }: Ask = {}) {
  const response = await fetch(`${urls[gateway]}${path.replace('{A}', `/v2/accounts/${root.account_id}`)}`, {
    method,
    headers: {
      authorization: `Bearer ${secret ?? root.api_key}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text) as any, // eslint-disable-line typescript/no-explicit-any
  };
}

async function newKey(more: object = {}) {
  const made = await ask('POST', '{A}/api-keys', { body: { label: 'Test', scopes: ['*'], ...more } });
  expect(made.status).toBe(201);
  return { id: String(made.body.id), secret: String(made.body.secret_key) };
}

/** The same request on every gateway at the same moment. */
const everywhere = (method: string, path: string, secret: string) =>
  Promise.all(urls.map(async (_url, gateway) => (await ask(method, path, { secret, gateway })).status));

describe('§2.1.6 a change of a key counts in the next request on every gateway', () => {
  it('deleted', async () => {
    for (let round = 0; round < 10; round += 1) {
      const key = await newKey();
      expect(await everywhere('GET', '/v2/ping', key.secret)).toEqual([200, 200]);
      const gone = await ask('DELETE', `{A}/api-keys/${key.id}`, { gateway: round % 2 });
      expect(gone.status).toBe(200);
      expect(await everywhere('GET', '/v2/ping', key.secret)).toEqual([401, 401]);
    }
  });

  it('deleted with its own secret', async () => {
    const key = await newKey();
    expect((await ask('DELETE', `{A}/api-keys/${key.id}`, { secret: key.secret })).status).toBe(200);
    expect(await everywhere('GET', '/v2/ping', key.secret)).toEqual([401, 401]);
  });

  it('other scopes', async () => {
    const key = await newKey({ scopes: ['accounts:read'] });
    expect(await everywhere('GET', '{A}', key.secret)).toEqual([200, 200]);
    await ask('PUT', `{A}/api-keys/${key.id}`, { body: { scopes: ['lists:read'] } });
    expect(await everywhere('GET', '{A}', key.secret)).toEqual([403, 403]);
    await ask('PUT', `{A}/api-keys/${key.id}`, { body: { scopes: ['accounts:read'] } });
    expect(await everywhere('GET', '{A}', key.secret)).toEqual([200, 200]);
  });

  it('another allow list', async () => {
    const key = await newKey();
    expect(await everywhere('GET', '/v2/ping', key.secret)).toEqual([200, 200]);
    await ask('PUT', `{A}/api-keys/${key.id}`, { body: { ip_allow_list: ['192.0.2.0/24'] } });
    expect(await everywhere('GET', '/v2/ping', key.secret)).toEqual([403, 403]);
    await ask('PUT', `{A}/api-keys/${key.id}`, { body: { ip_allow_list: [] } });
    expect(await everywhere('GET', '/v2/ping', key.secret)).toEqual([200, 200]);
  });

  it('its account blocked, suspended and free again', async () => {
    const made = await accounts.internal('POST', '/operator/accounts', {
      name: 'Other',
      owner_email: 'owner@other.test',
    });
    const account = made.body.id;
    const key = await accounts.internal('POST', `/operator/accounts/${account}/api-keys`, {
      label: 'k',
      scopes: ['*'],
    });
    const secret = key.body.secret_key;
    expect(await everywhere('GET', '/v2/ping', secret)).toEqual([200, 200]);
    await accounts.internal('POST', `/operator/accounts/${account}/block`, { reason: 'x' });
    expect((await ask('GET', '/v2/ping', { secret, gateway: 1 })).body).toEqual({
      message: 'account is suspended',
    });
    expect(await everywhere('GET', '/v2/ping', secret)).toEqual([401, 401]);
    await accounts.internal('POST', `/operator/accounts/${account}/unblock`);
    expect(await everywhere('GET', '/v2/ping', secret)).toEqual([200, 200]);
  });
});

describe('§3.7 self-lockout', () => {
  it('is refused, and nothing of the request is stored', async () => {
    const key = await newKey();
    const change = { label: 'Locked', ip_allow_list: ['192.0.2.0/24'] };
    const refused = await ask('PUT', `{A}/api-keys/${key.id}`, { secret: key.secret, body: change });
    expect([refused.status, refused.body]).toEqual([
      409,
      { message: 'ip_allow_list would exclude your current IP address' },
    ]);
    expect(refused.headers.get('retry-after')).toBeNull();
    const kept = await ask('GET', `{A}/api-keys/${key.id}`, { secret: key.secret });
    expect(kept.body).toMatchObject({ label: 'Test', ip_allow_list: [] });
    const from = { 'x-forwarded-for': '192.0.2.9' };
    const allowed = await ask('PUT', `{A}/api-keys/${key.id}`, {
      secret: key.secret,
      body: change,
      headers: from,
    });
    expect(allowed.status).toBe(200);
    expect((await ask('GET', '/v2/ping', { secret: key.secret })).status).toBe(403);
    const cleared = await ask('PUT', `{A}/api-keys/${key.id}`, {
      secret: key.secret,
      body: { ip_allow_list: [] },
      headers: from,
    });
    expect(cleared.status).toBe(200);
  });
});

describe('§4.4 creating a key twice with one idempotency key', () => {
  it('gives the same secret, which works; a refused address leaves nothing behind', async () => {
    const writer = await newKey({ ip_allow_list: ['192.0.2.0/24'] });
    const request = {
      secret: writer.secret,
      body: { label: 'Once', scopes: ['lists:read'] },
      headers: { 'idempotency-key': newId() },
    };
    expect((await ask('POST', '{A}/api-keys', request)).status).toBe(403);
    const inside = { ...request, headers: { ...request.headers, 'x-forwarded-for': '192.0.2.1' } };
    const first = await ask('POST', '{A}/api-keys', inside);
    const again = await ask('POST', '{A}/api-keys', { ...inside, gateway: 1 });
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect((await ask('GET', '/v2/ping', { secret: first.body.secret_key })).status).toBe(200);
  });
});

describe('§2.1.5 last_used_at', () => {
  it('is null, then written within 10 seconds of the first use', async () => {
    const key = await newKey();
    const lastUsed = async () => (await ask('GET', `{A}/api-keys/${key.id}`)).body.last_used_at;
    expect(await lastUsed()).toBeNull();
    await ask('GET', '/v2/ping', { secret: key.secret, gateway: 1 });
    await expect.poll(lastUsed).not.toBeNull();
  });
});
