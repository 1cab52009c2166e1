import { DomainDnsFailed } from '@postmesh/domains-contract';
import { describe, expect, it } from 'vitest';
import { domainsFailed } from './notices.rules.js';

const EXAMPLE = DomainDnsFailed.examples[0]!;
const SEEN = EXAMPLE.dns_last_checked_at;
const failed = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ ...EXAMPLE, domain: `shop${at}.test` }));

describe('the message about failed domains', () => {
  it.each([
    [{ spf_valid: false, dkim_valid: true, dmarc_valid: true }, 'SPF missing or wrong'],
    [{ spf_valid: false, dkim_valid: false, dmarc_valid: false }, 'SPF, DKIM, DMARC missing or wrong'],
    [{ spf_valid: true, dkim_valid: true, dmarc_valid: true }, 'other records missing or wrong'],
  ])('says of %j: %s', (valid, words) => {
    const { subject, facts } = domainsFailed('Shop', [{ ...EXAMPLE, ...valid }]);
    expect(subject).toBe('shop.test can no longer send email');
    expect(facts).toEqual([['shop.test', `${words}, checked at ${SEEN}`]]);
  });

  it('names the calls that list the records and repeat the check', () => {
    const path = `/v2/accounts/${EXAMPLE.account_id}/domains`;
    expect(domainsFailed('Shop', [EXAMPLE]).closing.join(' ')).toContain(`POST ${path}/shop.test/check-dns`);
    expect(domainsFailed('Shop', failed(2)).closing.join(' ')).toContain(`GET ${path}/{domain} lists`);
  });

  it('names a hundred domains, and counts the others', () => {
    expect(domainsFailed('Shop', failed(100)).facts).toHaveLength(100);
    const { subject, facts } = domainsFailed('Shop', failed(500));
    expect(subject).toBe('500 domains of Shop can no longer send email');
    expect(facts).toHaveLength(101);
    expect(facts.at(-1)).toEqual(['Others', '400 more domains']);
  });
});
