import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoubleKey } from '../testing/accounts-double.js';
import { MODES, startGateway, type TestGateway } from '../testing/start-gateway.js';

// proven again: services in other processes, where the request is sent a second time
const database = testDatabase();
const MISMATCH = 'idempotency key was already used with a different request payload';

describe.each(MODES)('keys of services %s', (mode) => {
  let gateway: TestGateway;
  let account: DoubleKey;
  beforeAll(async () => {
    gateway = await startGateway(database.url, mode, {}, true);
    account = gateway.accounts.addKey({ scopes: ['messages:send:all', 'lists:write'] });
  });
  afterAll(() => gateway.stop());

  async function post(path: string, key: string, body: Buffer | string) {
    const response = await request(`${gateway.url}/v2/accounts/${account.accountId}/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${account.secret}`,
        'content-type': 'application/json',
        'idempotency-key': key,
        // no client makes entries
        'x-key-entry': '9999999999999999',
      },
      body,
    });
    const { message } = (await response.body.json()) as { message?: string };
    return { status: response.statusCode, message, headers: response.headers };
  }
  const send = (key: string, body: Buffer | string = '{}') => post('messages/conversation', key, body);
  const list = (key: string, body = '{}') => post('lists', key, body);

  it('§4.2 rule 1 a key of one service is a mismatch at the other, whichever was first', async () => {
    const [first, second] = [newId(), newId()];
    expect((await list(first)).status).toBe(201);
    const refused = await send(first);
    expect(refused).toMatchObject({ status: 422, message: MISMATCH });
    expect(refused.headers).not.toHaveProperty('x-key-holder');
    expect((await list(first)).headers['idempotent-replayed']).toBe('true');
    expect((await send(second)).status).toBe(202);
    expect(await list(second)).toMatchObject({ status: 422, message: MISMATCH });
    expect((await send(second)).headers['idempotent-replayed']).toBe('true');
  });

  it('§4.3 rule 3 a key that a failure released is free for the other service at once', async () => {
    const key = newId();
    expect((await list(key, '{"fails":1}')).status).toBe(500);
    expect((await send(key)).status).toBe(202);
    expect((await list(key)).status).toBe(422);
  });

  it('a request too large to be sent twice is repeated by its client', async () => {
    const [key, large] = [newId(), Buffer.alloc(3_000_000, ' ')];
    expect((await list(key, '{"fails":1}')).status).toBe(500);
    const first = await send(key, large);
    if (mode === 'over HTTP') {
      expect(first).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } });
    }
    expect((await send(key, large)).status).toBe(202);
  });
});
