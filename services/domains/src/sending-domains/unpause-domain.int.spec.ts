import { describe, expect, it } from 'vitest';
import { AccountId, ApiKeyId, newId } from '@postmesh/contracts';
import { PrincipalMinter, principalPrivateKey } from '@postmesh/http';
import { DEFAULT_ACCOUNT, type TestRequest } from '@postmesh/service-testing';
import { domainsUnderTest } from '../testing/domains-under-test.js';

// proven again: requests that meet, revisions and events
const domains = domainsUnderTest();
const unpause = (child: string, domain: string, more: TestRequest = {}) => {
  const path = `/v2/accounts/${more.account_id ?? domains.service.accountId}/sub-accounts/${child}`;
  return domains.service.call('POST', `${path}/domains/${domain}/unpause`, more);
};
const paused = async (domain: string) => {
  const account_id = domains.child();
  await domains.create({ domain }, { account_id });
  await domains.pause(domain, account_id);
  return account_id;
};

describe('§10.3 unpause a domain of a sub-account', () => {
  it('answers the domain of the child, and publishes the change', async () => {
    const child = await paused('up.test');
    const before = (await domains.get('up.test', { account_id: child })).body;
    expect(before).toMatchObject({ paused: true, pause_reason: 'bounce_rate' });
    const given = await unpause(child, ' UP.test. ', { scopes: ['sub-accounts:suspend'] });
    expect(given.status).toBe(200);
    expect(given.body).toEqual({
      ...before,
      updated_at: expect.any(String),
      paused: false,
      paused_at: null,
      pause_reason: null,
    });
    expect((await domains.get('up.test', { account_id: child })).body).toEqual(given.body);
    const [made, resumed] = await domains.events('up.test', 2);
    expect([made?.data.revision, resumed?.data]).toEqual([
      1,
      { ...made?.data, account_id: child, paused: false, revision: 2 },
    ]);
  });

  it('answers an unpaused domain unchanged, without an event', async () => {
    const child = await paused('calm.test');
    const first = (await unpause(child, 'calm.test')).body;
    const second = await unpause(child, 'calm.test');
    expect([second.status, second.body]).toEqual([200, first]);
    const rows = await domains.sql(`select revision from domains where domain = 'calm.test'`);
    expect(rows).toEqual([{ revision: '2' }]);
  });

  it('a gateway says in the principal whose child it is', async () => {
    const account_id = domains.account();
    await domains.create({ domain: 'named.test' }, { account_id });
    await domains.pause('named.test', account_id);
    const mint = (sub_account_id: AccountId | null) =>
      new PrincipalMinter(principalPrivateKey(domains.service.context.settings)).mint(
        {
          account_id: AccountId.parse(domains.service.accountId),
          key_id: ApiKeyId.parse(newId()),
          scopes: ['*'],
          account: DEFAULT_ACCOUNT,
          sub_account_id,
        },
        'domains',
      );
    const by = (child: AccountId | null) =>
      unpause(account_id, 'named.test', { headers: { 'x-principal': mint(child) } });
    const refused = await by(null);
    expect([refused.status, refused.body]).toEqual([404, { message: 'sub account not found' }]);
    expect((await by(AccountId.parse(newId()))).status).toBe(404);
    // the accounts service of this test knows of no such child
    expect((await by(AccountId.parse(account_id))).body).toMatchObject({ paused: false });
  });

  it('once, however many ask at the same moment', async () => {
    const child = await paused('many.test');
    const given = await Promise.all(Array.from({ length: 4 }, () => unpause(child, 'many.test')));
    expect(given.map(({ status, body }) => [status, body.paused])).toEqual(
      Array.from({ length: 4 }, () => [200, false]),
    );
    expect(await domains.sql(`select revision from domains where domain = 'many.test'`)).toEqual([
      { revision: '2' },
    ]);
  });
});
