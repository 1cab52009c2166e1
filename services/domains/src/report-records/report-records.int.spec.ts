import { describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { readReportAddress } from '@postmesh/mail-format';
import { memberOf } from '@postmesh/service-testing';
import { domainsUnderTest } from '../testing/domains-under-test.js';

const domains = domainsUnderTest();
const ask = (domain: string, account = domains.service.accountId) =>
  domains.service.call('GET', `/console/api/domains/${domain}/report-records`, {
    principal: memberOf(account, 'Analyst'),
  });

describe('the records that bring reports about a domain', () => {
  it('name an address of the domain, and are looked up', async () => {
    const made = await domains.create({ domain: 'reports.shop.test' });
    domains.dns.set('TXT', '_dmarc.shop.test', 'v=DMARC1; p=reject; sp=quarantine');
    const { status, body } = await ask('reports.shop.test');
    expect(status).toBe(200);
    const id = readReportAddress(body.address, 'rp.svc.test');
    expect(body.records).toMatchObject([
      {
        kind: 'dmarc',
        host: '_dmarc.reports.shop.test',
        content: `v=DMARC1; p=quarantine; rua=mailto:${body.address}; ruf=mailto:${body.address}`,
        state: 'missing',
      },
      { kind: 'tls', host: '_smtp._tls.reports.shop.test', state: 'missing' },
    ]);
    for (const { host, content } of body.records) domains.dns.set('TXT', host, content);
    const after = await ask('reports.shop.test');
    expect(after.body.records.map(({ state }: { state: string }) => state)).toEqual(['present', 'present']);
    // the address is of this domain, and the domain says so to services that read reports
    const facts = await domains.service.internal('GET', `/internal/domains/${id}`);
    expect(facts.body).toMatchObject({ domain: 'reports.shop.test', account_id: domains.service.accountId });
    // what the API lists is as before
    expect((await domains.get('reports.shop.test')).body.dns_records).toEqual(made.body.dns_records);
  });

  it('are for domains of the account', async () => {
    expect((await ask('reports.shop.test', newId())).status).toBe(404);
    expect((await domains.service.internal('GET', `/internal/domains/${newId()}`)).status).toBe(404);
  });
});
