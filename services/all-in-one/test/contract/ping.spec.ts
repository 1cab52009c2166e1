import { beforeAll, describe, expect, it } from 'vitest';
import { expectError, sharedInstallation, type Account } from './harness.js';

const postmesh = sharedInstallation();
let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

describe('§6 ping', () => {
  it('§6 answers pong to any valid key, with no scope for anything else', async () => {
    const key = await postmesh.newKey(account, { scopes: ['accounts:billing'] });
    for (const caller of [account.key, key]) {
      const { status, body, headers } = await postmesh.api(caller, 'GET', '/v2/ping');
      expect([status, body, headers['content-type']]).toEqual([200, { message: 'pong' }, 'application/json']);
    }
  });

  it('§6 is not idempotent: a key is ignored, however long', async () => {
    const headers = { 'idempotency-key': 'k'.repeat(300) };
    for (let at = 0; at < 2; at += 1) {
      const response = await postmesh.api(account.key, 'GET', '/v2/ping', { headers });
      expect([response.status, response.headers['idempotent-replayed']]).toEqual([200, undefined]);
    }
  });

  it('§6 is not under an account path, and answers GET only', async () => {
    expectError(await postmesh.api(account.key, 'GET', '{A}/ping'), 404, 'not found');
    const posted = await postmesh.api(account.key, 'POST', '/v2/ping', { body: {} });
    expectError(posted, 405, 'method not allowed');
    expect(posted.headers['allow']).toBe('GET');
  });

  it('§6 refuses a request without a key (401) and from an address outside the allow list (403)', async () => {
    expectError(await postmesh.api(null, 'GET', '/v2/ping'), 401, 'missing or malformed bearer token');
    expectError(await postmesh.api('pm-sk-unknown', 'GET', '/v2/ping'), 401, 'invalid API key');
    const key = await postmesh.newKey(account, { ip_allow_list: ['192.0.2.0/24'] });
    expectError(
      await postmesh.api(key, 'GET', '/v2/ping'),
      403,
      'Request rejected by the API key IP allow list',
    );
    expect((await postmesh.api(key, 'GET', '/v2/ping', { clientIp: '192.0.2.7' })).status).toBe(200);
  });
});
