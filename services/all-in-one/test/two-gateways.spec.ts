import { serviceTokenKeys, ServiceTokens } from '@postmesh/http';
import { loadSettings } from '@postmesh/settings';
import { createTestDatabase, realPart } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginRequest } from './begun-request.js';
import { send, type HttpResponse } from './contract/http-request.js';
import { Fleet } from '../../../tools/ledger/fleet.mjs';

const redis = realPart('REDIS_URL', loadSettings().redisUrl);
const SECRET = 'a-secret-for-two-gateways-0123456789abcdef';
const BURST = 200;

describe('two gateways as processes of their own', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let fleet: Fleet;
  const urls: string[] = [];
  const tokens = new ServiceTokens(
    serviceTokenKeys({ ...loadSettings({}), secretKeys: [SECRET] }),
    'gateway',
  );

  beforeAll(async () => {
    database = await createTestDatabase();
    fleet = new Fleet({
      DATABASE_URL: database.url,
      ...(redis ? { REDIS_URL: redis } : {}),
      POSTMESH_SECRET_KEYS: SECRET,
      POSTMESH_DELIVERY: 'off',
      POSTMESH_DATABASE_POOL_SIZE: '4',
      // a burst can be counted while hardly anything is refilled
      POSTMESH_RATE_GENERAL_PER_SECOND: '1',
      POSTMESH_RATE_GENERAL_BURST: String(BURST),
      POSTMESH_OUTGOING_HTTP_ALLOW: '127.0.0.0/8',
      POSTMESH_TRUSTED_PROXIES: '127.0.0.0/8',
    });
    await fleet.choosePorts(['accounts', 'messages', 'webhooks', 'gateway-1', 'gateway-2']);
    await fleet.start('accounts', 'accounts');
    await Promise.all([fleet.start('messages', 'messages'), fleet.start('webhooks', 'webhooks')]);
    for (const name of ['gateway-1', 'gateway-2']) urls.push(await fleet.startGateway(name));
  });
  afterAll(async () => {
    await fleet?.stop();
    await database?.drop();
  });

  async function inside(path: string, body: unknown) {
    const headers = { 'x-service-token': tokens.make('accounts'), 'content-type': 'application/json' };
    const response = await send({
      method: 'POST',
      url: `${fleet.urlOf('accounts')}${path}`,
      headers,
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
    return response.body;
  }

  async function newAccount(): Promise<{ id: string; key: string }> {
    const made = await inside('/operator/accounts', { name: 'Two', owner_email: 'two@mail.test' });
    const key = await inside(`/operator/accounts/${made.id}/api-keys`, { label: 'k', scopes: ['*'] });
    return { id: made.id, key: key.secret_key };
  }

  const call = (
    gateway: number,
    account: { id: string; key: string },
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpResponse> =>
    send({
      method: body === undefined ? 'GET' : 'POST',
      url: `${urls[gateway % 2]}${path.replace('{A}', `/v2/accounts/${account.id}`)}`,
      headers: {
        authorization: `Bearer ${account.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  it.each([
    // only time frees the key of a create with a secret: 300 s, of which a busy machine has used a moment (§4.4 rule 2)
    ['{A}/api-keys', { label: 'k', scopes: ['accounts:read'] }, 2, /^(300|29\d)$/],
    [
      '{A}/webhooks',
      { name: 'n', url: 'http://127.0.0.1:9/', scope: 'global', on_dns_error: true },
      1,
      /^5$/,
    ],
  ])(
    '§4.3 rule 9 two gateways: of 20 identical requests at once exactly one runs: %s',
    async (path, body, rows, seconds) => {
      const account = await newAccount();
      const headers = { 'idempotency-key': 'twenty at once' };
      const ask = (at: number) => call(at, account, path, body, headers);
      const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(at)));
      const fresh = answers.filter(
        (response) => response.status === 201 && response.headers['idempotent-replayed'] === undefined,
      );
      expect(fresh).toHaveLength(1);
      for (const { status, headers: given, bytes } of answers.filter((response) => response !== fresh[0])) {
        if (status === 409) {
          expect([given['idempotent-replayed'], given['retry-after']]).toEqual([
            'false',
            expect.stringMatching(seconds),
          ]);
        } else {
          expect([status, given['idempotent-replayed']]).toEqual([201, 'true']);
          expect(bytes.equals(fresh[0]!.bytes)).toBe(true);
        }
      }
      for (const gateway of [0, 1]) expect((await ask(gateway)).bytes.equals(fresh[0]!.bytes)).toBe(true);
      expect((await call(0, account, path)).body.data).toHaveLength(rows);
    },
  );

  it('§2.1 rule 6 two gateways: a deleted key is refused by both in the next request', async () => {
    const account = await newAccount();
    for (let round = 0; round < 5; round += 1) {
      const made = await call(round, account, '{A}/api-keys', { label: 'k', scopes: ['accounts:read'] });
      const short = { id: account.id, key: made.body.secret_key as string };
      const pings = async () =>
        (await Promise.all([call(0, short, '/v2/ping'), call(1, short, '/v2/ping')])).map(
          ({ status }) => status,
        );
      expect(await pings()).toEqual([200, 200]);
      const deleted = await send({
        method: 'DELETE',
        url: `${urls[round % 2]}/v2/accounts/${account.id}/api-keys/${made.body.id}`,
        headers: { authorization: `Bearer ${account.key}` },
      });
      expect(deleted.status).toBe(200);
      expect(await pings()).toEqual([401, 401]);
    }
  });

  it.runIf(redis)('§5 rule 1 two gateways: the burst of an account is one, over Redis', async () => {
    const account = await newAccount();
    const began = Date.now();
    const answers = await Promise.all(
      Array.from({ length: BURST + 60 }, (_, at) => call(at, account, '/v2/ping')),
    );
    const refilled = Math.ceil((Date.now() - began) / 1_000);
    const passed = answers.filter(({ status }) => status === 200).length;
    expect(passed).toBeGreaterThanOrEqual(BURST);
    expect(passed).toBeLessThanOrEqual(BURST + refilled);
    const other = await newAccount();
    expect((await call(0, other, '/v2/ping')).status).toBe(200);
  });

  it('on a stop signal a gateway completes requests in flight, and every service ends with code 0', async () => {
    const account = await newAccount();
    const url = `${urls[0]}/v2/accounts/${account.id}/api-keys`;
    const begin = () =>
      beginRequest(url, { key: account.key, body: { label: 'k', scopes: ['accounts:read'] } });
    const requests = await Promise.all(Array.from({ length: 50 }, begin));
    const slow = await begin();
    slow.write(10);
    const gatewayEnds = fleet.kill('gateway-1', 'SIGTERM');
    for (const one of requests) one.write(Infinity);
    const responses = await Promise.all(requests.map(({ response }) => response));
    expect(responses.filter((response) => response?.status !== 201)).toEqual([]);
    expect(await slow.response).toEqual({ status: 503, retryAfter: '1' });
    const others = ['gateway-2', 'accounts', 'messages', 'webhooks'].map((name) =>
      fleet.kill(name, 'SIGTERM'),
    );
    expect(await Promise.all([gatewayEnds, ...others])).toEqual([0, 0, 0, 0, 0]);
    expect(fleet.output).not.toContain('stop.failed');
  });
});
