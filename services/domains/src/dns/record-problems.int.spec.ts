import { describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { memberOf } from '@postmesh/service-testing';
import { domainsUnderTest } from '../testing/domains-under-test.js';

const domains = domainsUnderTest();

interface Item {
  type: 'TXT' | 'CNAME' | 'MX';
  host: string;
  content: string;
  label: string;
}

async function problems(
  domain: string,
): Promise<Record<string, { code: string; found: string; advice: string }>> {
  const rows = await domains.sql(
    `select kind, problem from dns_records r join domains d on d.id = r.domain_id
      where d.domain = $1 and problem is not null`,
    [domain],
  );
  return Object.fromEntries(
    rows.map(({ kind, problem }: { kind: string; problem: unknown }) => [kind, problem]),
  );
}
const codes = async (domain: string) =>
  Object.fromEntries(Object.entries(await problems(domain)).map(([kind, { code }]) => [kind, code]));

/** A new domain with all its records; `spoil` breaks some; then it is checked. */
async function checked(domain: string, spoil: (records: Record<string, Item>) => void) {
  const made = await domains.create({ domain });
  await domains.publish(made.body);
  spoil(Object.fromEntries((made.body.dns_records as Item[]).map((record) => [record.label, record])));
  return (await domains.check(domain)).body;
}

describe('problems are stored with a check', () => {
  it('for every record, and none where all are right', async () => {
    await checked('fine.test', () => {});
    expect(await problems('fine.test')).toEqual({});
    await domains.create({ domain: 'mail.bare.test' });
    await domains.check('mail.bare.test');
    const found = await codes('mail.bare.test');
    expect(Object.keys(found)).toHaveLength(9);
    expect(new Set(Object.values(found))).toEqual(new Set(['not_found']));
  });

  it('and cleared when the record is right', async () => {
    const resource = await checked('mend.test', ({ DMARC }) => domains.dns.set('TXT', DMARC?.host ?? ''));
    expect(await codes('mend.test')).toEqual({ dmarc: 'not_found' });
    await domains.publish(resource);
    await domains.check('mend.test');
    expect(await problems('mend.test')).toEqual({});
  });

  it('and shown in the console, with what was seen and what helps', async () => {
    await checked('shown.test', () => domains.dns.set('CNAME', 'rp.shown.test', 'rp.other.test'));
    const shown = (accountId = domains.service.accountId) =>
      domains.service.call('GET', '/console/api/domains/shown.test/record-problems', {
        principal: memberOf(accountId, 'Analyst'),
      });
    const { status, body } = await shown();
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        ...{ type: 'CNAME', host: 'rp.shown.test', propagated: false, code: 'alias_wrong_target' },
        found: 'CNAME rp.shown.test → rp.other.test',
        advice: expect.stringContaining('Change the CNAME of rp.shown.test'),
      },
    ]);
    expect((await shown(newId())).status).toBe(404);
  });

  it('want the owner’s current SPF record with our include', async () => {
    await checked('grown.test', () => domains.dns.set('TXT', 'grown.test', 'v=spf1 ip4:192.0.2.1 -all'));
    expect((await problems('grown.test')).spf).toMatchObject({
      code: 'spf_include_missing',
      wanted: 'TXT record at grown.test: v=spf1 ip4:192.0.2.1 include:spf.svc.test -all',
    });
  });

  it.each<[string, string, (records: Record<string, Item>) => void, Record<string, string>]>([
    [
      'two-spf.test',
      'two SPF records',
      ({ SPF }) => domains.dns.set('TXT', 'two-spf.test', SPF?.content ?? '', 'v=spf1 mx -all'),
      { spf: 'spf_several' },
    ],
    [
      'proxy.test',
      'a proxy in front of the tracking host',
      ({ Tracking }) => {
        domains.dns.set('CNAME', Tracking?.host ?? '');
        domains.dns.set('A', Tracking?.host ?? '', '192.0.2.7');
      },
      { tracking: 'alias_proxied' },
    ],
    [
      'flat.test',
      'a flattened alias',
      ({ Tracking }) => {
        domains.dns.set('CNAME', Tracking?.host ?? '');
        for (const host of ['track.flat.test', 'track.svc.test']) domains.dns.set('A', host, '192.0.2.7');
      },
      { tracking: 'alias_flattened' },
    ],
    [
      'target.test',
      'an alias with another target',
      () => domains.dns.set('CNAME', 'rp.target.test', 'rp.other.test'),
      { return_path: 'alias_wrong_target' },
    ],
    [
      'loop.test',
      'an alias that is a loop',
      () => domains.dns.set('CNAME', 'rp.loop.test', 'rp.loop.test'),
      { return_path: 'alias_too_long' },
    ],
    [
      'apexalias.test',
      'a CNAME where the SPF record belongs',
      () => {
        domains.dns.set('TXT', 'apexalias.test');
        domains.dns.set('CNAME', 'apexalias.test', 'host.else.test');
        domains.dns.set('TXT', 'host.else.test', 'v=spf1 -all');
      },
      { spf: 'name_is_alias' },
    ],
    [
      'beside.test',
      'a CNAME next to the SPF record',
      () => {
        domains.dns.set('CNAME', 'beside.test', 'host.else.test');
        domains.dns.set('TXT', 'host.else.test', 'v=spf1 -all');
      },
      { spf: 'alias_beside_data' },
    ],
    [
      'keyintext.test',
      'the key itself in place of its alias',
      ({ DKIM }) => {
        domains.dns.set('CNAME', DKIM?.host ?? '');
        domains.dns.set('TXT', DKIM?.host ?? '', 'v=DKIM1; p=AAAA');
      },
      { dkim: 'alias_other_data' },
    ],
    [
      'doubled.test',
      'a host name with the domain twice',
      ({ Media }) => {
        domains.dns.set('CNAME', Media?.host ?? '');
        domains.dns.set('CNAME', `${Media?.host}.doubled.test`, Media?.content ?? '');
      },
      { media: 'host_doubled' },
    ],
    [
      'mail.parent.test',
      'records at the registrable domain',
      ({ SPF, Tracking }) => {
        domains.dns.set('TXT', SPF?.host ?? '');
        domains.dns.set('TXT', 'parent.test', SPF?.content ?? '');
        domains.dns.set('CNAME', Tracking?.host ?? '');
        domains.dns.set('CNAME', 'track.parent.test', Tracking?.content ?? '');
      },
      { spf: 'wrong_host', tracking: 'wrong_host' },
    ],
    [
      'mail.elsewhere.test',
      'an MX of another host, and a policy at the wrong host',
      ({ DMARC }) => {
        domains.dns.set('MX', 'mail.elsewhere.test', '10 mx.other.test');
        domains.dns.set('TXT', DMARC?.host ?? '');
        domains.dns.set('TXT', 'dmarc.mail.elsewhere.test', DMARC?.content ?? '');
      },
      { mx: 'mx_elsewhere', dmarc: 'wrong_host' },
    ],
    [
      'strict.test',
      'DMARC that rejects messages that SPF alone would pass',
      ({ DMARC }) => domains.dns.set('TXT', DMARC?.host ?? '', 'v=DMARC1; p=reject; aspf=s'),
      { dmarc: 'dmarc_strict_spf' },
    ],
    [
      'unsigned.test',
      'DMARC that quarantines messages without signature and return-path',
      ({ DKIM, ...records }) => {
        domains.dns.set('CNAME', DKIM?.host ?? '');
        domains.dns.set('CNAME', records['Return-Path']?.host ?? '');
      },
      { dkim: 'not_found', return_path: 'not_found', dmarc: 'dmarc_unaligned' },
    ],
  ])('%s: %s', async (domain, _what, spoil, expected) => {
    await checked(domain, spoil);
    expect(await codes(domain)).toEqual(expected);
  });

  it('name the resolver that did not answer, and keep the last state', async () => {
    await domains.valid('away.test');
    domains.dns.misbehave('_dmarc.away.test', 'servfail');
    const resource = (await domains.check('away.test')).body;
    expect(resource.dns_valid).toBe(true);
    const { dmarc, ...others } = await problems('away.test');
    expect(others).toEqual({});
    expect(dmarc).toMatchObject({
      code: 'inconclusive',
      found: expect.stringContaining(`${domains.dns.address}: server failure (SERVFAIL)`),
    });
  });

  it('report a manual key that is cut off, revoked or another one', async () => {
    const account_id = domains.account();
    await domains.service.internal('PUT', `/operator/accounts/${account_id}/settings`, {
      dns_mode: 'manual',
    });
    const made = await domains.create({ domain: 'hand.test' }, { account_id });
    await domains.publish(made.body);
    const { host, content } = made.body.dns_records[1];
    const other = (await domains.create({ domain: 'other.test' }, { account_id })).body.dns_records[1]
      .content;
    const rows: [string, string][] = [
      [content.slice(0, 128), 'dkim_key_cut'],
      ['v=DKIM1; p=', 'dkim_revoked'],
      [other, 'dkim_other_key'],
      [content.replace('p=', 'p'), 'dkim_no_key'],
    ];
    for (const [text, code] of rows) {
      domains.dns.set('TXT', host, text);
      await domains.check('hand.test', { account_id });
      expect(await codes('hand.test')).toEqual({ dkim: code });
    }
  });
});
