import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  freshIp,
  sharedInstallation,
  unique,
  type Account,
  type ApiKey,
} from './harness.js';

const postmesh = sharedInstallation();
let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

const read = (key: ApiKey) => postmesh.api(account.key, 'GET', `{A}/api-keys/${key.id}`);
const pingRaw = (...headers: string[]) =>
  postmesh.raw([
    'GET /v2/ping HTTP/1.1',
    'Host: x',
    `X-Forwarded-For: ${freshIp()}`,
    'Connection: close',
    ...headers,
  ]);

describe('§2.1 the key', () => {
  it('§2.1 rule 1 is required in every request, ping included', async () => {
    for (const path of ['/v2/ping', `/v2/accounts/${account.id}`, `/v2/accounts/${account.id}/domains`]) {
      expectError(await postmesh.api(null, 'GET', path), 401, 'missing or malformed bearer token');
    }
  });

  it('§2.1 rule 1 reads the scheme in any letter case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      expect((await pingRaw(`Authorization: ${scheme} ${account.key.secret}`)).status).toBe(200);
    }
  });

  it('§2.1 rule 1 refuses two Authorization headers, other schemes and other headers', async () => {
    const { secret } = account.key;
    for (const headers of [
      [`Authorization: Bearer ${secret}`, `Authorization: Bearer ${secret}`],
      [`Authorization: Bearer ${secret}`, 'authorization: Basic eA=='],
      [`Authorization: Basic ${Buffer.from(`${secret}:`).toString('base64')}`],
      [`Authorization: Token ${secret}`],
      [`Authorization: Bearer,${secret}`],
      [`X-Api-Key: ${secret}`],
      [`Api-Key: ${secret}`],
      [`Cookie: authorization=${secret}`],
      [`Proxy-Authorization: Bearer ${secret}`],
    ]) {
      expectError(await pingRaw(...headers), 401, 'missing or malformed bearer token');
    }
    expectError(
      await postmesh.api(null, 'GET', `/v2/ping?api_key=${secret}&access_token=${secret}`),
      401,
      'missing or malformed bearer token',
    );
  });

  it('§2.1 rule 1 takes no key for another that only looks like it', async () => {
    const { secret } = account.key;
    for (const wrong of [
      secret.toUpperCase(),
      secret.slice(0, -1),
      `${secret}x`,
      secret.slice(6),
      `${secret}%00`,
      'x'.repeat(8_000),
      '\u00e9'.repeat(10),
    ]) {
      const response = await pingRaw(`Authorization: Bearer ${wrong}`);
      expectError(response, 401, 'invalid API key');
    }
  });

  it('§2.1 rule 2 is <prefix>-sk- and 64 random characters; the public one cannot authenticate', async () => {
    const keys = [];
    for (let at = 0; at < 20; at += 1)
      keys.push(await postmesh.newKey(account, { scopes: ['accounts:read'] }));
    for (const { secret, publicKey } of keys) {
      expect(secret).toMatch(/^pm-sk-[A-Za-z0-9]{64}$/);
      expect(publicKey).toMatch(/^pm-pk-[A-Za-z0-9]{32}$/);
    }
    expect(new Set(keys.flatMap(({ secret, publicKey }) => [secret.slice(6), publicKey.slice(6)])).size).toBe(
      40,
    );
    // each of 62 characters occurs among 1,280, except in one of 10^8 runs
    expect(new Set(keys.map(({ secret }) => secret.slice(6)).join('')).size).toBeGreaterThan(55);
    expectError(await postmesh.api(keys[0]!.publicKey, 'GET', '/v2/ping'), 401, 'invalid API key');
  });

  it('§2.1 rule 3 the secret appears in the create response only', async () => {
    const made = await postmesh.api(account.key, 'POST', '{A}/api-keys', {
      body: { label: unique('once'), scopes: ['accounts:read'] },
    });
    const { id, secret_key: secret } = made.body;
    const later = [
      await postmesh.api(account.key, 'GET', `{A}/api-keys/${id}`),
      await postmesh.api(account.key, 'GET', '{A}/api-keys'),
      await postmesh.api(account.key, 'PUT', `{A}/api-keys/${id}`, { body: { label: 'other' } }),
      await postmesh.api(account.key, 'DELETE', `{A}/api-keys/${id}`),
    ];
    for (const response of later) {
      expect(response.status).toBe(200);
      expect(response.bytes.toString()).not.toContain(secret);
      expect(response.bytes.toString()).not.toContain('secret_key');
    }
  });

  it('§2.1 rule 4 is stored as a peppered hash: neither the secret nor its plain hash is in any table', async () => {
    const { secret, id } = await postmesh.newKey(account);
    const rows = await postmesh.sql<{ row: string; hash: Buffer }>(
      'select row_to_json(k)::text as row, secret_hash as hash from accounts.api_keys k where id = $1',
      [id],
    );
    const plain = createHash('sha256').update(secret).digest();
    expect(rows[0]?.hash.length).toBe(32);
    for (const form of [secret, secret.slice(6), plain.toString('hex'), plain.toString('base64')]) {
      expect(rows[0]?.row).not.toContain(form);
    }
    const [audited] = await postmesh.sql<{ count: number }>(
      'select count(*)::int as count from accounts.audit_entries e where row_to_json(e)::text like $1',
      [`%${secret.slice(6)}%`],
    );
    expect(audited?.count).toBe(0);
    const [index] = await postmesh.sql<{ count: number }>(
      `select count(*)::int as count from pg_indexes where schemaname = 'accounts'
         and tablename = 'api_keys' and indexdef like 'CREATE UNIQUE INDEX%(secret_hash)'`,
    );
    expect(index?.count).toBe(1);
  });

  it('§2.1 rule 5 last_used_at is null, written within 10 s of the first use, and not again for the next', async () => {
    const [used, refused] = [
      await postmesh.newKey(account),
      await postmesh.newKey(account, { ip_allow_list: ['192.0.2.7'] }),
    ];
    const lastUsed = async (key: ApiKey) => (await read(key)).body.last_used_at as string | null;
    expect([await lastUsed(used), await lastUsed(refused)]).toEqual([null, null]);
    const before = Date.now();
    await postmesh.api(used, 'GET', '/v2/ping');
    expect((await postmesh.api(refused, 'GET', '/v2/ping')).status).toBe(403);
    await eventually(() => lastUsed(used), 10_000).not.toBeNull();
    const first = (await lastUsed(used)) ?? '';
    expect(Math.abs(Date.parse(first) - before)).toBeLessThan(5_000);
    await postmesh.api(used, 'GET', '/v2/ping');
    // longer than a report takes to arrive
    await delay(6_000);
    expect([await lastUsed(used), await lastUsed(refused)]).toEqual([first, null]);
  });

  it('§2.1 rule 6 deletion, other scopes and another allow list count in the next request', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = await postmesh.newKey(account, { scopes: ['accounts:read'] });
      const get = async () => (await postmesh.api(key, 'GET', '{A}')).status;
      const put = (body: object) => postmesh.api(account.key, 'PUT', `{A}/api-keys/${key.id}`, { body });
      expect(await get()).toBe(200);
      await put({ scopes: ['domains:read'] });
      expect(await get()).toBe(403);
      await put({ scopes: ['accounts:read', 'domains:read'] });
      expect(await get()).toBe(200);
      await put({ ip_allow_list: ['192.0.2.7'] });
      expect(await get()).toBe(403);
      await put({ ip_allow_list: [] });
      expect(await get()).toBe(200);
      await postmesh.api(account.key, 'DELETE', `{A}/api-keys/${key.id}`);
      expect(await get()).toBe(401);
    }
  });

  it('§2.1 rule 6 under load: no request that begins after the 200 of a deletion passes', async () => {
    const key = await postmesh.newKey(account);
    let deleted = false;
    let passedAfter = 0;
    let passedBefore = 0;
    const hammer = async () => {
      for (let at = 0; at < 400; at += 1) {
        const after = deleted;
        const { status } = await postmesh.api(key, 'GET', '/v2/ping', { clientIp: freshIp() });
        if (status === 200 && after) passedAfter += 1;
        if (status === 200 && !after) passedBefore += 1;
        if (status === 401 && after) return;
      }
    };
    const hammers = Array.from({ length: 8 }, hammer);
    await eventually(() => passedBefore).toBeGreaterThan(50);
    expect((await postmesh.api(account.key, 'DELETE', `{A}/api-keys/${key.id}`)).status).toBe(200);
    deleted = true;
    await Promise.all(hammers);
    expect(passedAfter).toBe(0);
  });
});
