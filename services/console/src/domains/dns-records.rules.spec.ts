import { expect, it } from 'vitest';
import type { Schemas } from '../api/client';
import { hostInZone, textForAdmin, zoneFileOf } from './dns-records.rules';

const record = (fields: Partial<Schemas['DnsRecord']>): Schemas['DnsRecord'] => ({
  ...{
    label: 'SPF',
    type: 'TXT',
    host: 'shop.test',
    content: 'v=spf1 -all',
    required: true,
    propagated: false,
  },
  ...fields,
});

it('names a host as the form of a DNS provider asks for it', () => {
  expect(hostInZone('shop.test', 'shop.test')).toBe('@');
  expect(hostInZone('a.b.shop.test', 'shop.test')).toBe('a.b');
  expect(hostInZone('myshop.test', 'shop.test')).toBe('myshop.test');
});

it('writes a zone file: long texts in strings of 255, quotes escaped, names with their dot', () => {
  const domain = {
    domain: 'shop.test',
    dns_records: [
      record({ content: `v=DKIM1; p="${'A'.repeat(300)}` }),
      record({ type: 'CNAME', host: 'track.shop.test', content: 'track.mesh.test' }),
      record({ type: 'MX', content: '10 mx.mesh.test' }),
    ],
  } as Schemas['Domain'];
  const lines = zoneFileOf(domain).split('\n');
  expect(lines[2]).toBe(`shop.test. IN TXT "v=DKIM1; p=\\"${'A'.repeat(243)}" "${'A'.repeat(57)}"`);
  expect(lines[3]).toBe('track.shop.test. IN CNAME track.mesh.test.');
  expect(lines[4]).toBe('shop.test. IN MX 10 mx.mesh.test.');
});

it('writes a mail to an administrator with every record', () => {
  const text = textForAdmin({ domain: 'shop.test', dns_records: [record({})] } as Schemas['Domain']);
  expect(text).toContain('TXT  shop.test\n      v=spf1 -all');
});
