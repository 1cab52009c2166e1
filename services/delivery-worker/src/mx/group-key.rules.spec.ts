import { describe, expect, it } from 'vitest';
import { mergeProviders } from '../shaping/read-providers.js';
import { groupKeyOf, providerOfGroup, unknownKeyOf } from './group-key.rules.js';

const keyOf = (...names: string[]) =>
  groupKeyOf(
    names.map((name) => ({ name })),
    'shop.test',
  );

const GOOGLE = ['aspmx.l.google.com', 'alt1.aspmx.l.google.com', 'aspmx2.googlemail.com'];

describe('the group of a domain', () => {
  it.each<[string, string[], string]>([
    ['all hosts of one provider', GOOGLE, 'p:google'],
    ['upper case, and the dot of the root', ['ASPMX.L.Google.Com.'], 'p:google'],
    ['a host set per tenant', ['shop-test.mail.protection.outlook.com'], 'p:m365'],
    ['the same provider, other servers', ['mx1.hotmail.com.olc.protection.outlook.com'], 'p:outlook'],
    ['one host of many', ['mta5.am0.yahoodns.net'], 'p:yahoo'],
  ])('is the provider: %s', (_, hosts, key) => expect(keyOf(...hosts)).toBe(key));

  it.each<[string, string[]]>([
    ['a backup of its own next to a provider', [...GOOGLE, 'backup.shop.test']],
    ['two providers', ['aspmx.l.google.com', 'mta5.am0.yahoodns.net']],
    ['a name that only ends alike', ['evilgoogle.com']],
    ['the bare name of a suffix', ['google.com']],
    ['a provider in the middle', ['aspmx.l.google.com.shop.test']],
    ['no provider', ['mx1.shop.test', 'mx2.shop.test']],
    ['punycode', ['mx.xn--bcher-kva.test']],
  ])('is its set of hosts: %s', (_, hosts) => expect(keyOf(...hosts)).toMatch(/^m:[0-9a-f]{16}$/));

  it('is the same for the same hosts, in any order, case and number', () => {
    const keys = [
      keyOf('mx1.shop.test', 'mx2.shop.test'),
      keyOf('MX2.shop.test', 'mx1.shop.test.', 'mx1.shop.test'),
    ];
    expect(new Set(keys).size).toBe(1);
    expect(keyOf('mx1.shop.test')).not.toBe(keys[0]);
  });

  it('is its own name where it has no MX, also below the name of a provider', () => {
    expect(groupKeyOf([], 'shop.test')).toBe(groupKeyOf([{ name: 'shop.test' }], 'other.test'));
    expect(groupKeyOf([], 'corp.google.com')).toMatch(/^m:/);
  });

  it('is the site where the provider counts per site', () => {
    const [eu, us] = [keyOf('eu-smtp-inbound-1.mimecast.com'), keyOf('us-smtp-inbound-1.mimecast.com')];
    expect(eu).toMatch(/^p:mimecast:[0-9a-f]{16}$/);
    expect(us).not.toBe(eu);
    expect(eu).toBe(keyOf('EU-smtp-inbound-1.mimecast.com.'));
  });

  it('goes by the table in force', () => {
    const providers = mergeProviders({ corp: { match: ['.corp.test'] } });
    expect(groupKeyOf([{ name: 'mx.corp.test' }], 'a.test', providers)).toMatch(/^p:corp:/);
  });

  it('fits its column, with any names', () => {
    const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.test`;
    for (const key of [keyOf(long), groupKeyOf([], long), unknownKeyOf(long)]) {
      expect(key).toMatch(/^[\x21-\x7e]{1,100}$/);
    }
    expect(unknownKeyOf(long)).not.toBe(unknownKeyOf(`x.${long.slice(2)}`));
  });
});

it.each([
  ['p:google', 'google'],
  ['p:mimecast:0123456789abcdef', 'mimecast'],
  ['m:0123456789abcdef', undefined],
  ['d:p.test', undefined],
  ['none', undefined],
  ['relay', undefined],
])('the provider of %s is %s', (key, provider) => expect(providerOfGroup(key)).toBe(provider));

it.each([
  ['Shop.Test.', 'd:shop.test'],
  ['xn--bcher-kva.test', 'd:xn--bcher-kva.test'],
  ['bücher.test', 'none'],
  ['[192.0.2.1]', 'none'],
  ['192.0.2.1', 'none'],
  ['localhost', 'none'],
  ['', 'none'],
])('the domain %j is %s until it was looked up', (domain, key) => expect(unknownKeyOf(domain)).toBe(key));
