import { beforeAll, describe, expect, it } from 'vitest';
import type { TestRequest } from '@postmesh/service-testing';
import { domainsUnderTest } from '../testing/domains-under-test.js';

const domains = domainsUnderTest();
const REFUSED = [403, { message: 'account is suspended, contact support' }];

describe.each(['suspended', 'parent-suspended'] as const)('§2.5 an account that is %s', (status) => {
  const account = { status };
  let account_id: string;
  beforeAll(async () => {
    account_id = domains.account();
    await domains.create({ domain: 'kept.test' }, { account_id });
    await domains.create({ domain: 'held.test' }, { account_id });
    await domains.pause('held.test', account_id);
  });

  const call = async (method: 'GET' | 'POST' | 'DELETE', rest: string, more: TestRequest = {}) => {
    const path = domains.path(rest, account_id);
    const given = await domains.service.call(method, path, { account_id, account, ...more });
    return [given.status, given.body];
  };
  const create = (body: object) => call('POST', '', { body });

  it('cannot create a domain, existing or new', async () => {
    expect(await create({ domain: 'new.test' })).toEqual(REFUSED);
    expect(await create({ domain: 'kept.test' })).toEqual(REFUSED);
  });

  it('cannot delete one, nor a paused one', async () => {
    expect(await call('DELETE', '/kept.test')).toEqual(REFUSED);
    expect(await call('DELETE', '/held.test')).toEqual(REFUSED);
  });

  it('checks none', async () => {
    expect(await call('POST', '/kept.test/check-dns')).toEqual(REFUSED);
  });

  it('gets the errors of its other mistakes first (§1.5)', async () => {
    expect((await create({ domain: 'nonsense' }))[0]).toBe(400);
    expect((await create({ colour: 1 }))[0]).toBe(400);
    const missing = [404, { message: 'domain not found' }];
    expect(await call('DELETE', '/missing.test')).toEqual(missing);
    expect(await call('POST', '/missing.test/check-dns')).toEqual(missing);
    expect(await call('DELETE', '/kept.test', { scopes: ['domains:delete:{other.test}'] })).toEqual([
      403,
      { message: 'api key does not have sufficient permissions to delete domains' },
    ]);
  });

  it('can read its domains', async () => {
    const [listed, { data }] = await call('GET', '');
    expect([listed, data.length]).toEqual([200, 2]);
    expect((await call('GET', '/kept.test'))[0]).toBe(200);
  });
});
