import { describe, expect, it } from 'vitest';
import { SOURCES } from '../sources/sources.js';
import type { RecordsForm } from '../sources/source.js';
import { readRecords } from './compare-domain.js';
import { dnsDifference } from './dns-difference.rules.js';

const wanted = [
  { label: 'DKIM', type: 'TXT', host: 'pm._domainkey.shop.test', value: 'v=DKIM1; p=OURS', required: true },
  {
    label: 'SPF',
    type: 'TXT',
    host: 'shop.test',
    value: 'v=spf1 include:spf.ours.test ~all',
    required: true,
  },
  { label: 'Tracking', type: 'CNAME', host: 'link.shop.test', value: 'track.ours.test', required: false },
  { label: 'Return path', type: 'CNAME', host: 'psrp.shop.test', value: 'rp.ours.test', required: true },
];
const old = [
  { type: 'CNAME', host: 's1._domainkey.shop.test', value: 's1.domainkey.u1.wl.sendgrid.net' },
  { type: 'CNAME', host: 'link.shop.test', value: 'sendgrid.net' },
  { type: 'CNAME', host: 's2._domainkey.shop.test', value: 's2.domainkey.u1.wl.sendgrid.net' },
];

describe('the difference of DNS records', () => {
  it('adds, changes what a host has once, and removes at the end', () => {
    const published = [
      { type: 'TXT', host: 'shop.test', value: 'v=spf1 a include:sendgrid.net -all' },
      { type: 'TXT', host: 'shop.test', value: 'google-site-verification=x' },
      { type: 'CNAME', host: 's1._domainkey.shop.test', value: 's1.domainkey.u1.wl.sendgrid.net.' },
      { type: 'CNAME', host: 'link.shop.test', value: 'sendgrid.net' },
      { type: 'CNAME', host: 'psrp.shop.test', value: 'RP.ours.test.' },
    ];
    const lines = dnsDifference({ wanted, old, published, spf: ['sendgrid.net'] });
    expect(
      lines.map(({ sign, type, host, value, note }) => `${sign} ${type} ${host} ${value} | ${note}`),
    ).toEqual([
      '+ TXT pm._domainkey.shop.test v=DKIM1; p=OURS | DKIM',
      '~ TXT shop.test v=spf1 a include:sendgrid.net include:spf.ours.test -all | SPF: instead of v=spf1 a include:sendgrid.net -all',
      '~ CNAME link.shop.test track.ours.test | Tracking: instead of sendgrid.net',
      '= CNAME psrp.shop.test rp.ours.test | Return path',
      '- CNAME s1._domainkey.shop.test s1.domainkey.u1.wl.sendgrid.net | of the other service: remove it once nothing is sent by it',
      '- TXT shop.test include:sendgrid.net | take it out of the SPF record at the end; left is: v=spf1 a -all',
    ]);
  });

  it('has nothing to change when all of ours is published', () => {
    const lines = dnsDifference({ wanted, old: [], published: wanted, spf: [] });
    expect(lines.map(({ sign }) => sign)).toEqual(['=', '=', '=', '=']);
  });
});

describe('the records of a service', () => {
  it.each<[keyof typeof SOURCES, unknown, string[]]>([
    [
      'sendgrid',
      [
        {
          domain: 'shop.test',
          dns: {
            mail_cname: { valid: true, type: 'cname', host: 'em1.shop.test', data: 'u1.wl.sendgrid.net' },
          },
        },
      ],
      ['CNAME em1.shop.test u1.wl.sendgrid.net'],
    ],
    [
      'mailgun',
      {
        domain: { name: 'shop.test' },
        sending_dns_records: [{ record_type: 'TXT', name: 'k1._domainkey.shop.test', value: 'k=rsa; p=X' }],
      },
      ['TXT k1._domainkey.shop.test k=rsa; p=X'],
    ],
    [
      'postmark',
      {
        Name: 'shop.test',
        DKIMHost: '20260101pm._domainkey.shop.test',
        DKIMTextValue: 'k=rsa;p=X',
        ReturnPathDomain: 'pm-bounces.shop.test',
        ReturnPathDomainCNAMEValue: 'pm.mtasv.net',
      },
      ['TXT 20260101pm._domainkey.shop.test k=rsa;p=X', 'CNAME pm-bounces.shop.test pm.mtasv.net'],
    ],
    [
      'resend',
      {
        name: 'shop.test',
        records: [
          {
            record: 'SPF',
            name: 'send',
            type: 'MX',
            value: 'feedback-smtp.eu-west-1.amazonses.com',
            priority: 10,
          },
        ],
      },
      ['MX send.shop.test feedback-smtp.eu-west-1.amazonses.com'],
    ],
    [
      'ses',
      { VerifiedForSendingStatus: true, DkimAttributes: { Tokens: ['abc'] } },
      ['CNAME abc._domainkey.shop.test abc.dkim.amazonses.com'],
    ],
    [
      'brevo',
      {
        domain: 'shop.test',
        dns_records: {
          dkim_record: { type: 'TXT', value: 'k=rsa;p=X', host_name: 'mail._domainkey' },
          brevo_code: { type: 'TXT', value: 'brevo-code:1', host_name: '@' },
        },
      },
      ['TXT mail._domainkey.shop.test k=rsa;p=X', 'TXT shop.test brevo-code:1'],
    ],
  ])('%s', (name, value, records) => {
    const { records: form } = SOURCES[name] as { records?: RecordsForm };
    const read = form && readRecords(value, form, 'shop.test');
    expect(read?.records.map(({ type, host, value: content }) => `${type} ${host} ${content}`)).toEqual(
      records,
    );
  });
});
