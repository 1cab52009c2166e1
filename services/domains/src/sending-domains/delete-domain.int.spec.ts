import { describe, expect, it } from 'vitest';
import type { TestRequest } from '@postmesh/service-testing';
import { domainsUnderTest } from '../testing/domains-under-test.js';

const domains = domainsUnderTest();
const remove = (domain: string, more: TestRequest = {}) =>
  domains.service.call('DELETE', domains.path(`/${domain}`, more.account_id), more);

const NO_SCOPE = 'api key does not have sufficient permissions to delete domains';

describe('§11.3 delete a domain', () => {
  it('takes its keys and verdicts along, and tells the others', async () => {
    const { id } = await domains.valid('bye.test');
    const gone = await remove('bye.test');
    expect([gone.status, gone.body]).toEqual([200, { message: 'domain deleted successfully' }]);
    expect((await domains.get('bye.test')).status).toBe(404);
    for (const table of ['dkim_keys', 'dns_records']) {
      expect(await domains.sql(`select from ${table} where domain_id = $1`, [id])).toEqual([]);
    }
    const events = await domains.events('bye.test', 3);
    expect(events.at(-1)?.data).toMatchObject({
      domain_id: id,
      deleted: true,
      dns_valid: false,
      revision: 3,
    });
  });

  it('added again it is new: another id, other keys, no locks', async () => {
    const before = await domains.valid('again.test');
    await remove('again.test');
    const after = (await domains.create({ domain: 'again.test', tracking_subdomain: 'other' })).body;
    expect(after.id).not.toBe(before.id);
    expect(after.dns_records[1].content).not.toBe(before.dns_records[1].content);
    expect(after.dns_records.map((record: { host: string }) => record.host)).toContain('other.again.test');
  });

  it.each([
    ['domains:delete:all', 200],
    ['domains:delete:{scope.test}', 200],
    ['domains:delete:{other.test}', 403],
    ['domains:delete:{mail.scope.test}', 403],
    ['domains:write', 403],
  ])('with %s: %i', async (scope, status) => {
    const account_id = domains.account();
    await domains.create({ domain: 'scope.test' }, { account_id });
    const given = await remove('scope.test', { account_id, scopes: [scope] });
    expect(given.status).toBe(status);
    if (status === 403) expect(given.body).toEqual({ message: NO_SCOPE });
  });

  it('checks scope, then existence, then pause', async () => {
    const scopes = ['domains:delete:{other.test}'];
    expect((await remove('missing.test', { scopes })).status).toBe(403);
    expect((await remove('missing.test')).body).toEqual({ message: 'domain not found' });
    await domains.create({ domain: 'held.test' });
    await domains.sql(
      `update domains set paused_at = now(), pause_reason = 'bounce_rate' where domain = 'held.test'`,
    );
    expect((await remove('held.test', { scopes })).body).toEqual({ message: NO_SCOPE });
    const paused = await remove('held.test');
    expect([paused.status, paused.body.message]).toEqual([
      403,
      "Sending is paused on the domain 'held.test'. You cannot remove or rename it while sending is paused. Contact support.",
    ]);
    expect((await domains.get('held.test')).body).toMatchObject({
      paused: true,
      pause_reason: 'bounce_rate',
    });
  });

  it('refuses a suspended account, a name that is none and another account’s domain', async () => {
    await domains.create({ domain: 'stay.test' });
    expect((await remove('stay.test', { account: { status: 'suspended' } })).body.message).toMatch(
      /contact support/,
    );
    expect((await remove('nonsense')).body).toEqual({ message: 'invalid domain name' });
    expect((await remove('stay.test', { account_id: domains.account() })).status).toBe(404);
    expect((await domains.get('stay.test')).status).toBe(200);
  });
});
