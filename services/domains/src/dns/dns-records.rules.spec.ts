import { describe, expect, it } from 'vitest';
import { exampleDomain } from '../testing/example-domain.js';
import {
  dnsRecords,
  isApex,
  isPublicSuffix,
  organisationalDomain,
  recommendedSpf,
  serviceHosts,
} from './dns-records.rules.js';

const subdomains = { tracking: null, return_path: null, subscription: null, media: null };
const context = { hosts: serviceHosts('svc.test'), account: { selector: null, subdomains } };
const lines = (
  ...[domain, about = context]: Parameters<typeof dnsRecords> | [Parameters<typeof dnsRecords>[0]]
) =>
  dnsRecords(domain, about).map(
    ({ label, type, host, content, required }) => `${label} | ${type} | ${host} | ${content} | ${required}`,
  );

describe('the records of a domain', () => {
  it('are those of the table, in its order, with managed DNS and nothing overridden', () => {
    expect(lines(exampleDomain())).toEqual([
      'SPF | TXT | mail.example.com | v=spf1 include:spf.svc.test ~all | true',
      'DKIM | CNAME | managed._domainkey.mail.example.com | tok3n.d1.dkim.svc.test | true',
      'DKIM standby | CNAME | managed2._domainkey.mail.example.com | tok3n.d2.dkim.svc.test | false',
      'DMARC | TXT | _dmarc.mail.example.com | v=DMARC1; p=quarantine; sp=none; adkim=r; aspf=r; | true',
      'Return-Path | CNAME | rp.mail.example.com | rp.svc.test | false',
      'Tracking | CNAME | track.mail.example.com | track.svc.test | false',
      'Subscription | CNAME | subs.mail.example.com | subs.svc.test | false',
      'Media | CNAME | media.mail.example.com | media.svc.test | false',
      'MX | MX | mail.example.com | 10 mx.svc.test | false',
    ]);
  });

  it('swap the required slot with the active one, each slot at its own host', () => {
    const dkim = lines(exampleDomain({ activeSlot: 2 })).slice(1, 3);
    expect(dkim).toEqual([
      'DKIM | CNAME | managed2._domainkey.mail.example.com | tok3n.d2.dkim.svc.test | true',
      'DKIM standby | CNAME | managed._domainkey.mail.example.com | tok3n.d1.dkim.svc.test | false',
    ]);
  });

  it('hold one DKIM text with the public key with manual DNS, and no standby', () => {
    const records = lines(exampleDomain({ dnsMode: 'manual', dkimSelector: 's1', publicKeys: { 1: 'KEY' } }));
    expect(records[1]).toBe('DKIM | TXT | s1._domainkey.mail.example.com | v=DKIM1; k=rsa; p=KEY | true');
    expect(records).toHaveLength(8);
  });

  it('leave the MX out at an apex', () => {
    expect(lines(exampleDomain({ domain: 'example.com' })).join()).not.toContain('MX');
  });

  it('leave out records that would point at themselves, where the domain is the service’s own zone', () => {
    const hosts = lines(exampleDomain({ domain: 'svc.test' })).map((line) => line.split(' | ')[0]);
    expect(hosts).toEqual(['SPF', 'DKIM', 'DKIM standby', 'DMARC']);
  });

  it('have the overridden hosts and point at the partner’s', () => {
    const domain = exampleDomain({ subdomains: { ...subdomains, tracking: 'click', return_path: 'bounce' } });
    const records = lines(domain, {
      ...context,
      hosts: serviceHosts('svc.test', { tracking: 't.partner.test' }),
    });
    expect(records).toContain('Tracking | CNAME | click.mail.example.com | t.partner.test | false');
    expect(records).toContain('Return-Path | CNAME | bounce.mail.example.com | rp.svc.test | false');
  });

  it('keep a locked label and selector after later changes', () => {
    const domain = exampleDomain({
      subdomains: { ...subdomains, tracking: 'new' },
      records: { tracking: { propagated: false, lockedLabel: 'old', problem: null } },
      dkimSelector: 'new',
      lockedSelector: 'old',
    });
    const records = lines(domain);
    expect(records).toContain('Tracking | CNAME | old.mail.example.com | track.svc.test | false');
    expect(records[1]).toContain('old._domainkey');
    expect(records[2]).toContain('old2._domainkey');
  });

  it('take the account’s names where the domain has none', () => {
    const account = { selector: 'acct', subdomains: { ...subdomains, media: 'img' } };
    const records = lines(exampleDomain(), { ...context, account });
    expect(records[1]).toContain('acct._domainkey');
    expect(records[7]).toContain('img.mail.example.com');
  });

  it('show which of them have propagated', () => {
    const domain = exampleDomain({
      records: { spf: { propagated: true, lockedLabel: null, problem: null } },
    });
    expect(dnsRecords(domain, context).filter((record) => record.propagated)).toMatchObject([
      { kind: 'spf' },
    ]);
  });
});

const HOST = 'spf.svc.test';

describe('the SPF record for an owner keeps the published terms', () => {
  it.each([
    [null, 'v=spf1 include:spf.svc.test ~all'],
    ['v=spf1 -all', 'v=spf1 include:spf.svc.test -all'],
    ['v=spf1 a mx ip4:192.0.2.1 ?all', 'v=spf1 a mx ip4:192.0.2.1 include:spf.svc.test ?all'],
    ['v=spf1 include:other.test ALL', 'v=spf1 include:other.test include:spf.svc.test ALL'],
    ['v=spf1 mx', 'v=spf1 mx include:spf.svc.test'],
    ['v=spf1 a redirect=other.test', 'v=spf1 a include:spf.svc.test redirect=other.test'],
    ['v=spf1', 'v=spf1 include:spf.svc.test'],
    ['v=spf1  a   -all ', 'v=spf1 a include:spf.svc.test -all'],
    ['v=spf1 include:spf.svc.test -all', 'v=spf1 include:spf.svc.test -all'],
    ['v=spf1 a +include:SPF.svc.test. -all', 'v=spf1 a +include:SPF.svc.test. -all'],
    ['v=spf1 -all include:spf.svc.test', 'v=spf1 include:spf.svc.test -all include:spf.svc.test'],
    ['v=spf1 ?include:spf.svc.test a -all', 'v=spf1 a include:spf.svc.test -all'],
    ['v=spf1 include:xspf.svc.test -all', 'v=spf1 include:xspf.svc.test include:spf.svc.test -all'],
  ])('%j becomes %j', (published, expected) => {
    expect(recommendedSpf(published, HOST)).toBe(expected);
  });
});

describe('a public suffix cannot be a sending domain', () => {
  it.each([
    ['co.uk', true],
    ['kobe.jp', true],
    ['foo.ck', true],
    ['shop.test', false],
    ['shop.co.uk', false],
    ['mail.shop.test', false],
    ['github.io', false],
  ])('%s: %s', (name, expected) => {
    expect(isPublicSuffix(name)).toBe(expected);
  });
});

describe('the organisational domain', () => {
  it.each([
    ['shop.test', 'shop.test'],
    ['a.b.shop.test', 'shop.test'],
    ['mail.shop.co.uk', 'shop.co.uk'],
    ['news.shop.github.io', 'shop.github.io'],
    ['github.io', 'github.io'],
    ['x.xn--p1ai', 'x.xn--p1ai'],
  ])('of %s is %s', (name, expected) => {
    expect(organisationalDomain(name)).toBe(expected);
    expect(isApex(name)).toBe(name === expected);
  });
});
