import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { domainsUnderTest } from '../testing/domains-under-test.js';
import { startTestDnsServer, type TestDnsServer } from '../testing/test-dns-server.js';

// proven again: resolvers that disagree or stay silent

let second: TestDnsServer;
const domains = domainsUnderTest(async (first) => {
  second = await startTestDnsServer();
  return { dnsServers: [first.address, second.address] };
});
beforeEach(() => second.clear());
afterAll(() => second.close());

/** A valid domain whose records both resolvers see. */
async function valid(domain: string) {
  const resource = await domains.valid(domain);
  for (const { type, host, content } of resource.dns_records) second.set(type, host, content);
  return resource;
}

const problem = async (domain: string) => {
  const [row] = await domains.sql(
    `select state, problem from domains d join dns_records r on r.domain_id = d.id and kind = 'dmarc'
      where domain = $1`,
    [domain],
  );
  return row;
};

describe('§11.4 rule 1 a valid domain with several resolvers', () => {
  it('is not lost by one with an old or wrong answer, for API and background checks', async () => {
    await valid('lie.test');
    domains.dns.set('TXT', '_dmarc.lie.test', 'v=DMARC1; p=oops');
    const checked = await domains.check('lie.test');
    expect(checked.body.dns_valid).toBe(true);
    expect(checked.body.dns_records[3]).toMatchObject({ label: 'DMARC', propagated: true });
    for (let look = 0; look < 4; look += 1) await domains.recheck('lie.test');
    expect(await problem('lie.test')).toMatchObject({
      state: 'valid',
      problem: {
        code: 'resolvers_disagree',
        found: `${domains.dns.address}: not right; ${second.address}: right`,
      },
    });
    expect(await domains.lifeOf('lie.test')).not.toContain('domain-dns-failed');
  });

  it('is lost when both see the failure', async () => {
    await valid('gone.test');
    for (const dns of [domains.dns, second]) dns.set('TXT', '_dmarc.gone.test');
    expect((await domains.check('gone.test')).body.dns_valid).toBe(false);
    expect(await problem('gone.test')).toMatchObject({ state: 'invalid', problem: { code: 'not_found' } });
  });

  it.each(['servfail', 'silent'] as const)(
    'is lost when one resolver sees the failure and the other is %s',
    async (mishap) => {
      const name = `half-${mishap}.test`;
      await valid(name);
      domains.dns.misbehave(`_dmarc.${name}`, mishap);
      second.set('TXT', `_dmarc.${name}`);
      expect((await domains.check(name)).body.dns_valid).toBe(false);
    },
  );
});
