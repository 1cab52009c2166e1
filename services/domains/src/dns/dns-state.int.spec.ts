import { beforeAll, describe, expect, it, vi } from 'vitest';
import { domainsUnderTest } from '../testing/domains-under-test.js';
import { newId } from '@postmesh/contracts';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { CheckDomain } from './check-domain.js';
import { RecheckDomains } from './recheck-domains.js';

const domains = domainsUnderTest();

const row = async (domain: string, account = domains.service.accountId) => {
  const rows = await domains.sql('select * from domains where domain = $1 and account_id = $2', [
    domain,
    account,
  ]);
  return rows[0];
};
const failures = async (domain: string, count: number) =>
  (await domains.events(domain, count)).filter((event) => event.type === 'domain-dns-failed');

describe('background checks', () => {
  beforeAll(() => domains.create({ domain: 'model.test' }));
  const copies = (account: string, count: number, due: string, below = 'copy.test') =>
    domains.sql(
      `insert into domains select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(),
         'account_id', $1::text, 'domain', nth || '.' || $4, 'domain_token', left(md5($1 || nth), 16),
         'next_check_at', now() - $3::interval))).*
       from domains d, generate_series(1, $2::int) nth where domain = 'model.test'`,
      [account, count, due, below],
    );

  it('of an account with very many due ones leave permits to others that became due later', async () => {
    const [many, other] = [newId(), newId()];
    await copies(many, 200, '1 hour');
    await copies(other, 1, '1 minute');
    const claimed = await domains.service.service.get(SendingDomains).claimDue(100, 5, 300);
    const of = (account: string) => claimed.filter(({ accountId }) => accountId === account).length;
    expect([of(many), of(other)]).toEqual([5, 1]);
    await domains.sql('delete from domains where account_id = any($1::uuid[])', [[many, other]]);
  });

  it('of an account with silent name servers do not delay those of others', async () => {
    const [many, other] = [newId(), newId()];
    /** duration of the other account's check, and number of the first account's checks begun before its end */
    const check = async () => {
      await domains.sql('delete from domains where account_id = $1', [other]);
      await copies(other, 1, '1 minute');
      const stop = new AbortController();
      const begun = performance.now();
      const sweep = domains.service.service.get(RecheckDomains).sweep(stop.signal);
      const isChecked = async () => (await row('1.copy.test', other)).last_dns_check_at !== null;
      await expect.poll(isChecked, { interval: 5 }).toBe(true);
      const ms = Math.round(performance.now() - begun);
      const [{ count }] = await domains.sql(
        'select count(*)::int as count from domains where account_id = $1 and next_check_at > now()',
        [many],
      );
      stop.abort();
      await sweep;
      return { ms, begunBefore: count as number };
    };
    await check();
    const alone = await check();
    await copies(many, 200, '1 hour', 'silent.test');
    for (let nth = 1; nth <= 200; nth += 1) domains.dns.misbehave(`${nth}.silent.test`, 'silent');
    const busy = await check();
    process.stdout.write(
      `a check of another account: ${alone.ms} ms alone, ${busy.ms} ms with 200 of another account\n`,
    );
    expect(busy.begunBefore).toBeLessThan(100);
    await domains.sql('delete from domains where account_id = any($1::uuid[])', [[many, other]]);
  });
});

describe('§11.5 the DNS state machine', () => {
  it('2-4: a background failure makes suspect, the third in a row invalid, with one event', async () => {
    await domains.valid('slow.test');
    domains.dns.set('TXT', '_dmarc.slow.test');
    for (const left of [1, 2]) {
      await domains.recheck('slow.test');
      expect(await row('slow.test')).toMatchObject({ state: 'suspect', failures: left });
      expect((await domains.get('slow.test')).body.dns_valid).toBe(true);
    }
    await domains.recheck('slow.test');
    expect(await row('slow.test')).toMatchObject({ state: 'invalid' });
    expect((await domains.get('slow.test')).body.dns_valid).toBe(false);
    const [event] = await failures('slow.test', 4);
    const { id: domain_id, account_id, last_dns_check_at } = await row('slow.test');
    expect(event?.data).toEqual({
      domain_id,
      account_id,
      domain: 'slow.test',
      spf_valid: true,
      dkim_valid: true,
      dmarc_valid: false,
      dns_last_checked_at: last_dns_check_at.toISOString(),
    });
    await domains.recheck('slow.test');
    const life = await domains.lifeOf('slow.test');
    expect(life.filter((type) => type === 'domain-dns-failed')).toHaveLength(1);
  });

  it('3: a pass brings suspect back to valid, without an event', async () => {
    await domains.valid('blip.test');
    domains.dns.set('TXT', '_dmarc.blip.test');
    await domains.recheck('blip.test');
    domains.dns.set('TXT', '_dmarc.blip.test', 'v=DMARC1; p=none');
    await domains.recheck('blip.test');
    expect(await row('blip.test')).toMatchObject({ state: 'valid', failures: 0 });
    expect(await domains.lifeOf('blip.test')).toEqual(Array.from({ length: 3 }, () => 'domain-changed'));
  });

  it('4: check-dns makes invalid at once; 6: a pass makes valid again', async () => {
    const resource = await domains.valid('hard.test');
    domains.dns.set('TXT', '_dmarc.hard.test');
    expect((await domains.check('hard.test')).body.dns_valid).toBe(false);
    expect(await failures('hard.test', 4)).toHaveLength(1);
    await domains.publish(resource);
    expect((await domains.check('hard.test')).body.dns_valid).toBe(true);
    const events = await domains.events('hard.test', 5);
    expect(events.map((event) => event.type)).toEqual([
      'domain-changed',
      'domain-changed',
      'domain-changed',
      'domain-dns-failed',
      'domain-changed',
    ]);
    const revisions = events.flatMap((event) =>
      event.type === 'domain-changed' ? [event.data.revision] : [],
    );
    expect(revisions).toEqual([1, 2, 3, 4]);
  });

  it('1: a background check finds a domain valid', async () => {
    const made = await domains.create({ domain: 'auto.test' });
    await domains.publish(made.body);
    await domains.recheck('auto.test');
    expect((await domains.get('auto.test')).body.dns_valid).toBe(true);
  });

  it('8: a copy in another account that lost its records is invalid at the next check', async () => {
    const other = domains.account();
    await domains.valid('both.test', { account_id: other });
    const mine = await domains.create({ domain: 'both.test' });
    await domains.publish(mine.body);
    await domains.sql(`update domains set next_check_at = now() + interval '1 hour'`);
    expect((await domains.check('both.test')).body.dns_valid).toBe(true);
    await domains.sweep();
    expect(await row('both.test', other)).toMatchObject({ state: 'invalid', contested: false });
    expect(await row('both.test')).toMatchObject({ state: 'valid' });
  });

  it('8: a copy under another selector is not touched', async () => {
    const other = domains.account();
    const theirs = await domains.create(
      { domain: 'apart.test', dkim_selector: 'theirs' },
      { account_id: other },
    );
    await domains.publish(theirs.body);
    await domains.check('apart.test', { account_id: other });
    const mine = await domains.create({ domain: 'apart.test' });
    await domains.publish(mine.body);
    await domains.check('apart.test');
    await domains.sweep();
    expect(await row('apart.test', other)).toMatchObject({ state: 'valid', contested: false });
    expect(await row('apart.test')).toMatchObject({ state: 'valid' });
  });
});

describe('§11.4 the background', () => {
  it('checks only due domains, and sets the next check according to the state', async () => {
    await domains.valid('due.test');
    const wait = async () => {
      const { next_check_at, last_dns_check_at } = await row('due.test');
      return (next_check_at.getTime() - last_dns_check_at.getTime()) / 60_000;
    };
    expect(await wait()).toBeGreaterThanOrEqual(15);
    expect(await wait()).toBeLessThan(30);
    domains.dns.questions.length = 0;
    await domains.sweep();
    expect(domains.dns.questions.join()).not.toContain('due.test');
    domains.dns.set('TXT', '_dmarc.due.test');
    await domains.recheck('due.test');
    expect(await wait()).toBe(5);
  });

  it('checks many in batches, each once', async () => {
    const account_id = domains.account();
    await domains.create({ domain: 'template.test' }, { account_id });
    await domains.sql(
      `insert into domains select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(),
         'domain', 'bulk' || n || '.test', 'domain_token', 'token' || n, 'next_check_at', now()))).*
       from domains d, generate_series(1, 250) n where d.domain = 'template.test'`,
    );
    const checks = vi.spyOn(domains.service.service.get(CheckDomain), 'execute');
    await Promise.all([domains.sweep(), domains.sweep()]);
    const checked = checks.mock.calls
      .map(([{ domain }]) => domain.domain)
      .filter((name) => name.startsWith('bulk'));
    checks.mockRestore();
    expect(checked).toHaveLength(250);
    expect(new Set(checked).size).toBe(250);
    const [{ left }] = await domains.sql(
      `select count(*)::int as left from domains where domain like 'bulk%' and last_dns_check_at is null`,
    );
    expect(left).toBe(0);
  });
});

describe('§11.6 locks', () => {
  it('a subdomain and the selector lock when they are first seen, and outlive a failure', async () => {
    await domains.valid('lock.test');
    for (const { host, type } of (await domains.get('lock.test')).body.dns_records)
      domains.dns.set(type, host);
    await domains.check('lock.test');
    await domains.sql(
      `update domains set tracking_subdomain = 'new', dkim_selector = 'new' where domain = 'lock.test'`,
    );
    const hosts = (await domains.get('lock.test')).body.dns_records.map(
      (record: { host: string }) => record.host,
    );
    expect(hosts).toContain('track.lock.test');
    expect(hosts).toContain('managed._domainkey.lock.test');
  });
});
