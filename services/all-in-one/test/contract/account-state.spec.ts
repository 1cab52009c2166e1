import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectError,
  freshIp,
  sharedInstallation,
  uniqueDomain,
  type Account,
  type ApiKey,
} from './harness.js';

const postmesh = sharedInstallation();
const SUSPENDED = 'account is suspended';
const NO_DOMAINS = 'account is suspended, contact support';

const operate = async (account: string, action: string) => {
  const path = `/operator/accounts/accounts/${account}/${action}`;
  const response = await postmesh.operator('POST', path, { reason: 'test' });
  expect([action, response.status]).toEqual([action, 200]);
};
const send = (key: ApiKey, domain: string, more: object = {}) =>
  postmesh.api(key, 'POST', '{A}/messages/conversation', {
    body: {
      from: { email: `a@${domain}` },
      to: [{ email: 'ann@mail.test' }],
      subject: 's',
      text_content: 't',
      ...more,
    },
  });

/** Asserts the operations that are open to every account that may authenticate. */
async function expectEverythingElseOk(key: ApiKey, domain: string): Promise<void> {
  for (const path of [
    '/v2/ping',
    '{A}',
    '{A}/api-keys',
    '{A}/domains',
    `{A}/domains/${domain}`,
    '{A}/webhooks',
    '{A}/routes',
  ]) {
    expect((await postmesh.api(key, 'GET', path)).status, path).toBe(200);
  }
  const made = await postmesh.api(key, 'POST', '{A}/api-keys', { body: { label: 'k', scopes: ['*'] } });
  expect(made.status).toBe(201);
  expect((await postmesh.api(key, 'DELETE', `{A}/api-keys/${made.body.id}`)).status).toBe(200);
  const hook = await postmesh.api(key, 'POST', '{A}/webhooks', {
    body: { name: 'n', url: 'http://127.0.0.1:9/', scope: 'global', on_dns_error: true },
  });
  expect(hook.status).toBe(201);
}

async function expectPaused(key: ApiKey, domain: string): Promise<void> {
  expectError(await send(key, domain), 403, SUSPENDED);
  expectError(await send(key, domain, { sandbox: true }), 403, SUSPENDED);
  const domains = {
    create: await postmesh.api(key, 'POST', '{A}/domains', { body: { domain: uniqueDomain() } }),
    delete: await postmesh.api(key, 'DELETE', `{A}/domains/${domain}`),
    'check-dns': await postmesh.api(key, 'POST', `{A}/domains/${domain}/check-dns`),
  };
  for (const response of Object.values(domains)) expectError(response, 403, NO_DOMAINS);
  await expectEverythingElseOk(key, domain);
}

describe('§2.5 account state and keys', () => {
  let account: Account;
  let domain: string;
  beforeAll(async () => {
    account = await postmesh.newAccount();
    domain = await postmesh.verifiedDomain(account);
  });

  it('§2.5 table active: everything is open', async () => {
    expect((await send(account.key, domain)).status).toBe(202);
    await expectEverythingElseOk(account.key, domain);
  });

  it('§2.5 table suspended: no sends, no change of domains, everything else (SMTP sends: smtp-sessions.spec.ts; domain update is not served yet)', async () => {
    await operate(account.id, 'suspend');
    await expectPaused(account.key, domain);
    await operate(account.id, 'resume');
    expect((await send(account.key, domain)).status).toBe(202);
  });

  it('§2.5 table parent-suspended: the same, for the time of the suspension of the parent', async () => {
    const child = await postmesh.api(account.key, 'POST', '{A}/sub-accounts', {
      body: { name: 'Child', website: 'child.test' },
    });
    expect(child.status).toBe(201);
    const key = await postmesh.operatorKey(child.body.id, { scopes: ['*'] });
    const own = { id: child.body.id, name: 'Child', ownerEmail: '', key };
    const childDomain = await postmesh.verifiedDomain(own);
    await operate(account.id, 'suspend');
    await expectPaused(key, childDomain);
    await operate(account.id, 'resume');
    expect((await send(key, childDomain)).status).toBe(202);
  });

  it('§2.5 table blocked by the operator: every request is 401', async () => {
    await operate(account.id, 'block');
    for (const [method, path] of [
      ['GET', '/v2/ping'],
      ['GET', '{A}'],
      ['POST', '{A}/messages/conversation'],
      ['POST', '{A}/domains'],
    ] as const) {
      const response = await postmesh.api(account.key, method, path, { clientIp: freshIp() });
      expectError(response, 401, SUSPENDED);
    }
    await operate(account.id, 'unblock');
    expect((await send(account.key, domain)).status).toBe(202);
  });

  it('§2.5 table deleted: every request is 401 invalid API key', async () => {
    const child = await postmesh.api(account.key, 'POST', '{A}/sub-accounts', {
      body: { name: 'Child', website: 'child.test' },
    });
    const key = await postmesh.operatorKey(child.body.id, { scopes: ['*'] });
    expect((await postmesh.api(key, 'GET', '/v2/ping')).status).toBe(200);
    expect((await postmesh.api(account.key, 'DELETE', `{A}/sub-accounts/${child.body.id}`)).status).toBe(200);
    for (const path of ['/v2/ping', '{A}', '{A}/domains']) {
      expectError(await postmesh.api(key, 'GET', path, { clientIp: freshIp() }), 401, 'invalid API key');
    }
  });
});
