import { describe, expect, it } from 'vitest';
import { domainsUnderTest } from '../testing/domains-under-test.js';

const domains = domainsUnderTest();
const names = (body: { data: { domain: string }[] }) => body.data.map((item) => item.domain);

describe('§11.3 list domains', () => {
  it('is newest first, in pages, of this account alone', async () => {
    const account_id = domains.account();
    for (const at of [1, 2, 3]) await domains.create({ domain: `n${at}.test` }, { account_id });
    await domains.create({ domain: 'foreign.test' });
    const first = await domains.service.call('GET', domains.path('?limit=2', account_id), { account_id });
    expect(first.status).toBe(200);
    expect(first.body.object).toBe('list');
    expect(names(first.body)).toEqual(['n3.test', 'n2.test']);
    expect(first.body.pagination).toEqual({ has_more: true, next_cursor: expect.any(String) });
    const next = `?limit=2&after=${first.body.pagination.next_cursor}`;
    const second = await domains.service.call('GET', domains.path(next, account_id), { account_id });
    expect(names(second.body)).toEqual(['n1.test']);
    expect(second.body.pagination).toEqual({ has_more: false, previous_cursor: expect.any(String) });
    const one = await domains.get('n1.test', { account_id });
    expect(second.body.data[0]).toEqual(one.body);
  });

  it('is filtered by dns_valid and sending_type', async () => {
    const account_id = domains.account();
    await domains.valid('v.test', { account_id });
    await domains.create({ domain: 'p.test' }, { account_id });
    await domains.create({ domain: 'm.test', sending_type: 'marketing' }, { account_id });
    const list = async (query: string) =>
      names((await domains.service.call('GET', domains.path(query, account_id), { account_id })).body);
    expect(await list('?dns_valid=true')).toEqual(['v.test']);
    expect(await list('?dns_valid=false')).toEqual(['m.test', 'p.test']);
    expect(await list('?sending_type=marketing')).toEqual(['m.test']);
    expect(await list('?sending_type=transactional&dns_valid=false')).toEqual(['p.test']);
    expect(await list('?unknown=1')).toHaveLength(3);
    // a client that writes all of its filters
    expect(await list('?cursor=&after=&before=&limit=&dns_valid=&sending_type=')).toHaveLength(3);
  });

  it.each([
    ['?dns_valid=yes', 'invalid dns_valid'],
    ['?dns_valid=True', 'invalid dns_valid'],
    ['?sending_type=bulk', 'invalid sending_type (one of transactional, marketing)'],
    ['?limit=0', 'limit must be between 1 and 100'],
    ['?after=%%%', 'invalid cursor'],
    ['?after=a&before=b', 'after and before are mutually exclusive'],
  ])('%s: 400', async (query, message) => {
    const refused = await domains.service.call('GET', domains.path(query));
    expect([refused.status, refused.body]).toEqual([400, { message }]);
  });

  it('is empty for an account without domains', async () => {
    const account_id = domains.account();
    const empty = await domains.service.call('GET', domains.path('', account_id), { account_id });
    expect(empty.body).toEqual({ object: 'list', data: [], pagination: { has_more: false } });
  });
});

describe('§11.3 get a domain', () => {
  it('in any spelling of its name', async () => {
    await domains.create({ domain: 'xn--bcher-kva.test' });
    for (const spelling of ['XN--BCHER-KVA.TEST', 'xn--bcher-kva.test.', encodeURIComponent('bücher.test')]) {
      expect((await domains.get(spelling)).body.domain).toBe('xn--bcher-kva.test');
    }
  });

  it.each([
    ['gone.test', {}, 404, 'domain not found'],
    ['nonsense', {}, 400, 'invalid domain name'],
    ['a_b.test', {}, 400, 'invalid domain name'],
    ['gone.test', { scopes: ['domains:write'] }, 403, 'insufficient permissions for the required scope'],
  ])('%s: refused', async (domain, more, status, message) => {
    const refused = await domains.get(domain, more);
    expect([refused.status, refused.body]).toEqual([status, { message }]);
  });

  it('404 for another account’s', async () => {
    await domains.create({ domain: 'private.test' });
    const refused = await domains.get('private.test', { account_id: domains.account() });
    expect([refused.status, refused.body]).toEqual([404, { message: 'domain not found' }]);
  });
});
