import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CAresResolver } from '../dns/c-ares.resolver.js';
import { DNS_RESOLVER } from '../dns/dns-resolver.port.js';
import { domainsUnderTest } from '../testing/domains-under-test.js';

// proven again: the questions to name servers, their answers of every kind, and events
const domains = domainsUnderTest();
const waitForAnswers = (timeoutMs: number) =>
  domains.service.service.get<CAresResolver>(DNS_RESOLVER).use(timeoutMs);
afterEach(() => waitForAnswers(2_000));

interface Resource {
  dns_records: { label: string; propagated: boolean }[];
}

const propagated = (resource: Resource) =>
  resource.dns_records.filter((record) => record.propagated).map((record) => record.label);

describe('§11.3 check-dns', () => {
  it('finds every record that is published', async () => {
    const made = await domains.create({ domain: 'mail.good.test' });
    await domains.publish(made.body);
    const checked = await domains.check('mail.good.test');
    expect(checked.status).toBe(200);
    expect(checked.body).toMatchObject({ dns_valid: true, rotation_ready: true });
    expect(checked.body.last_dns_check_at).toMatch(/Z$/);
    expect(propagated(checked.body)).toHaveLength(9);
    expect((await domains.get('mail.good.test')).body).toEqual(checked.body);
    // its name server is local-internet's
    const notice = expect.stringMatching(/^local mode: .* its check says nothing about real DNS$/);
    expect(checked.headers['postmesh-notice']).toEqual(notice);
    expect((await domains.report('mail.good.test')).body).toMatchObject({ notice });
    const [, event] = await domains.events('mail.good.test', 2);
    expect(event?.data).toMatchObject({
      dns_valid: true,
      return_path_host: 'rp.mail.good.test',
      tracking_host: 'track.mail.good.test',
      subscription_host: 'subs.mail.good.test',
      revision: 2,
    });
  });

  it('is due again by the clock of the database, not by that of the service', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      await domains.create({ domain: 'ahead.test' });
      await domains.check('ahead.test');
    } finally {
      vi.useRealTimers();
    }
    const [row] = await domains.sql(
      `select last_dns_check_at <= now() as is_past, next_check_at <= now() + interval '30 minutes' as is_soon,
         rotation_next_at <= now() as is_looked_at
       from domains where domain = 'ahead.test'`,
    );
    expect(row).toEqual({ is_past: true, is_soon: true, is_looked_at: true });
  });

  it('is false while nothing is published, without an event', async () => {
    await domains.create({ domain: 'bare.test' });
    const checked = await domains.check('bare.test');
    expect(checked.body).toMatchObject({ dns_valid: false, rotation_ready: false });
    expect(propagated(checked.body)).toEqual([]);
    expect(await domains.lifeOf('bare.test')).toEqual(['domain-changed', 'domain-changed']);
  });

  it('is valid without the optional records; its facts then have the service’s own hosts', async () => {
    const made = await domains.create({ domain: 'lean.test' });
    await domains.publish(made.body, ['DKIM standby', 'Return-Path', 'Tracking', 'Subscription', 'Media']);
    const checked = await domains.check('lean.test');
    expect(checked.body).toMatchObject({ dns_valid: true, rotation_ready: false });
    expect(propagated(checked.body)).toEqual(['SPF', 'DKIM', 'DMARC']);
    const [, event] = await domains.events('lean.test', 2);
    expect(event?.data).toMatchObject({
      dns_valid: true,
      return_path_host: null,
      tracking_host: null,
      subscription_host: null,
    });
  });

  it.each(['SPF', 'DKIM', 'DMARC'])('is not valid without %s', async (label) => {
    const name = `no-${label.toLowerCase()}.test`;
    const made = await domains.create({ domain: name });
    await domains.publish(made.body, [label]);
    const checked = await domains.check(name);
    expect(checked.body.dns_valid).toBe(false);
    expect(propagated(checked.body)).not.toContain(label);
    expect(propagated(checked.body)).toHaveLength(7);
  });

  it('returns the stored result within 60 seconds, without a look-up', async () => {
    await domains.create({ domain: 'soon.test' });
    const first = await domains.check('soon.test');
    domains.dns.questions.length = 0;
    const again = await domains.service.call('POST', domains.path('/soon.test/check-dns'));
    expect(again.body).toEqual(first.body);
    expect(domains.dns.questions).toEqual([]);
  });

  it('looks up once for concurrent requests', async () => {
    await domains.create({ domain: 'crowd.test' });
    domains.dns.questions.length = 0;
    const all = await Promise.all(
      [1, 2, 3].map(() => domains.service.call('POST', domains.path('/crowd.test/check-dns'))),
    );
    expect(new Set(all.map((given) => given.text)).size).toBe(1);
    const asked = domains.dns.questions.filter((question) => question === 'TXT _dmarc.crowd.test');
    expect(asked).toHaveLength(1);
  });

  it('shows an owner’s new SPF record with ours merged in', async () => {
    await domains.create({ domain: 'merge.test' });
    domains.dns.set('TXT', 'merge.test', 'v=spf1 mx -all');
    const checked = await domains.check('merge.test');
    expect(checked.body.dns_records[0]).toMatchObject({
      content: 'v=spf1 mx include:spf.svc.test -all',
      propagated: false,
    });
  });

  it('follows chains and inheritance: CNAMEs, includes, the organisational policy', async () => {
    const made = await domains.create({ domain: 'news.chain.test' });
    const dkim = made.body.dns_records[1];
    await domains.publish(made.body, ['DKIM', 'DMARC', 'SPF']);
    domains.dns.set('CNAME', dkim.host, 'one.elsewhere.test');
    domains.dns.set('CNAME', 'one.elsewhere.test', 'two.elsewhere.test');
    domains.dns.set('CNAME', 'two.elsewhere.test', dkim.content);
    domains.dns.set('TXT', '_dmarc.chain.test', 'v=DMARC1; p=reject');
    domains.dns.set('TXT', 'news.chain.test', 'v=spf1 include:all.elsewhere.test -all');
    domains.dns.set('TXT', 'all.elsewhere.test', 'v=spf1 include:spf.svc.test ~all');
    expect((await domains.check('news.chain.test')).body.dns_valid).toBe(true);
  });

  it('reads truncated answers over TCP', async () => {
    const made = await domains.create({ domain: 'long.test' });
    await domains.publish(made.body);
    for (const name of ['long.test', '_dmarc.long.test']) domains.dns.misbehave(name, 'truncated');
    expect((await domains.check('long.test')).body.dns_valid).toBe(true);
    expect(domains.dns.questions).toContain('TXT long.test/tcp');
  });

  it('fails two SPF records', async () => {
    const made = await domains.create({ domain: 'two.test' });
    await domains.publish(made.body);
    domains.dns.set('TXT', 'two.test', 'v=spf1 include:spf.svc.test ~all', 'v=spf1 mx -all');
    const checked = await domains.check('two.test');
    expect(checked.body.dns_valid).toBe(false);
    expect(propagated(checked.body)).not.toContain('SPF');
  });

  it('compares the key of a manual record', async () => {
    const account_id = domains.account();
    await domains.service.internal('PUT', `/operator/accounts/${account_id}/settings`, {
      dns_mode: 'manual',
    });
    const made = await domains.create({ domain: 'man.test' }, { account_id });
    await domains.publish(made.body);
    const { host, content } = made.body.dns_records[1];
    domains.dns.set('TXT', host, 'v=DKIM1; p=AAAA');
    expect((await domains.check('man.test', { account_id })).body.dns_valid).toBe(false);
    domains.dns.set('TXT', host, `${content}; t=s`);
    expect((await domains.check('man.test', { account_id })).body.dns_valid).toBe(true);
  });

  it('accepts a return-path in place of SPF where the operator allows it', async () => {
    const account_id = domains.account();
    const made = await domains.create({ domain: 'viarp.test' }, { account_id });
    await domains.publish(made.body, ['SPF']);
    expect((await domains.check('viarp.test', { account_id })).body.dns_valid).toBe(false);
    const flag = { return_path_satisfies_spf: true };
    await domains.service.internal('PUT', `/operator/accounts/${account_id}/settings`, flag);
    expect((await domains.check('viarp.test', { account_id })).body.dns_valid).toBe(true);
  });
});

describe('§11.4 inconclusive answers', () => {
  it.each(['servfail', 'silent'] as const)(
    '%s keeps the last state; only the time of the check changes',
    async (mishap) => {
      const name = `${mishap}.test`;
      const before = await domains.valid(name);
      domains.dns.misbehave('*', mishap);
      waitForAnswers(200);
      const checked = await domains.check(name);
      expect(checked.status).toBe(200);
      expect(checked.body.dns_valid).toBe(true);
      expect(checked.body.dns_records).toEqual(before.dns_records);
      expect(Date.parse(checked.body.last_dns_check_at)).toBeGreaterThan(
        Date.parse(before.last_dns_check_at),
      );
      expect(checked.body.updated_at).toBe(before.updated_at);
    },
  );

  it('of one record do not affect the others', async () => {
    await domains.valid('part.test');
    domains.dns.misbehave('part.test', 'servfail');
    domains.dns.set('CNAME', 'media.part.test');
    const checked = await domains.check('part.test');
    expect(checked.body.dns_valid).toBe(true);
    expect(propagated(checked.body)).toContain('SPF');
    expect(propagated(checked.body)).not.toContain('Media');
  });

  it('§1.4 table 503 when only our own zone cannot be reached', async () => {
    const made = await domains.create({ domain: 'lame.test' });
    await domains.publish(made.body);
    domains.dns.misbehave(made.body.dns_records[1].content, 'servfail');
    const refused = await domains.check('lame.test');
    expect([refused.status, refused.body]).toEqual([
      503,
      { message: 'managed DNS is currently unavailable' },
    ]);
    expect((await domains.get('lame.test')).body.last_dns_check_at).toBeNull();
  });
});

describe('§11.3 errors of check-dns', () => {
  it('a domain that is deleted while it is checked', async () => {
    const made = await domains.create({ domain: 'fading.test' });
    await domains.publish(made.body);
    domains.dns.misbehave('media.fading.test', 'silent');
    const checking = domains.check('fading.test');
    await expect.poll(() => domains.dns.questions).toContain('CNAME media.fading.test');
    await domains.service.call('DELETE', domains.path('/fading.test'));
    const refused = await checking;
    expect([refused.status, refused.body]).toEqual([404, { message: 'domain not found' }]);
  });
});
