import { describe, expect, it } from 'vitest';
import { AddressPolicy, isLocalhost, isRefusedAtSight, readTargetUrl } from './target.rules.js';

const REFUSED = [
  ['this host', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['loopback', '127.0.0.1'],
  ['all of loopback', '127.255.255.254'],
  ['private class A', '10.0.0.1'],
  ['private class B, first', '172.16.0.1'],
  ['private class B, last', '172.31.255.255'],
  ['private class C', '192.168.1.1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['metadata service of a cloud inside carrier-grade NAT', '100.100.100.200'],
  ['link-local', '169.254.0.1'],
  ['cloud metadata service', '169.254.169.254'],
  ['cloud host agent on a public-looking address', '168.63.129.16'],
  ['IETF protocol assignments', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['benchmarking', '198.18.0.1'],
  ['6to4 relay', '192.88.99.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified IPv6', '::'],
  ['loopback IPv6', '::1'],
  ['loopback IPv6 written in full', '0:0:0:0:0:0:0:1'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['mapped loopback in hexadecimal', '::ffff:7f00:1'],
  ['mapped private', '::ffff:10.0.0.1'],
  ['mapped metadata service', '::ffff:169.254.169.254'],
  ['IPv4-compatible loopback', '::127.0.0.1'],
  ['link-local IPv6', 'fe80::1'],
  ['link-local IPv6 with a zone', 'fe80::1%eth0'],
  ['site-local IPv6', 'fec0::1'],
  ['unique local', 'fc00::1'],
  ['metadata service of a cloud on unique local', 'fd00:ec2::254'],
  ['multicast IPv6', 'ff02::1'],
  ['NAT64 of loopback', '64:ff9b::7f00:1'],
  ['local NAT64', '64:ff9b:1::7f00:1'],
  ['6to4 of loopback', '2002:7f00:1::1'],
  ['Teredo', '2001:0:1::1'],
  ['documentation IPv6', '2001:db8::1'],
  ['discard', '100::1'],
  ['never given out', '4000::1'],
  ['no address', 'example.com'],
  ['empty', ''],
] as const;

const PERMITTED = [
  ['public', '8.8.8.8'],
  ['just below private class B', '172.15.255.255'],
  ['just above private class B', '172.32.0.0'],
  ['just below carrier-grade NAT', '100.63.255.255'],
  ['just above carrier-grade NAT', '100.128.0.0'],
  ['public IPv6', '2606:4700:4700::1111'],
  ['public IPv4, mapped', '::ffff:8.8.8.8'],
] as const;

describe('webhooks are refused private, loopback, link-local and metadata addresses', () => {
  const policy = new AddressPolicy([]);
  it.each(REFUSED)('%s: %s is refused', (_, address) => expect(policy.permits(address)).toBe(false));
  it.each(PERMITTED)('%s: %s is permitted', (_, address) => expect(policy.permits(address)).toBe(true));
});

describe('the networks that the operator allows', () => {
  const policy = new AddressPolicy(['127.0.0.0/8', '::1', '10.20.0.0/16', 'fd00:1::/32']);

  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.20.255.1', 'fd00:1::5', '8.8.8.8'])(
    'lets %s through',
    (address) => expect(policy.permits(address)).toBe(true),
  );
  it.each(['10.21.0.1', '0.0.0.0', 'fd00:2::5', '169.254.169.254', '192.168.0.1', '::2'])(
    'still refuses %s',
    (address) => expect(policy.permits(address)).toBe(false),
  );
  it('must be networks or addresses', () => {
    expect(() => new AddressPolicy(['127.0.0.0/8', 'intranet'])).toThrow(/'intranet'/);
    expect(() => new AddressPolicy(['10.0.0.0/33'])).toThrow(/10\.0\.0\.0\/33/);
  });
});

it('an explicitly refused address stays refused, public or allowed', () => {
  const policy = new AddressPolicy(['10.0.0.0/8'], ['203.0.114.9', '10.1.0.0/16', '2606:4700:4700::1111']);
  const refused = ['203.0.114.9', '::ffff:203.0.114.9', '10.1.2.3', '2606:4700:4700:0::1111'];
  expect(refused.filter((address) => policy.permits(address))).toEqual([]);
  expect(['203.0.114.8', '10.2.0.1'].every((address) => policy.permits(address))).toBe(true);
});

const atSight = (text: string, allow: readonly string[] = []) =>
  isRefusedAtSight(readTargetUrl(text) as URL, new AddressPolicy(allow));

describe('a target URL', () => {
  it.each([
    'https://shop.test/hooks',
    'http://shop.test',
    'HTTPS://SHOP.TEST/',
    'http://shop.test:8080/a?b=c#d',
    'https://user:pass@shop.test/',
    'http://[2606:4700:4700::1111]/',
    `http://shop.test/${'a'.repeat(2_048 - 17)}`,
  ])('%.40s is read', (text) => expect(readTargetUrl(text)).toBeInstanceOf(URL));

  it.each([
    '',
    'shop.test/hooks',
    '/hooks',
    '//shop.test/hooks',
    'http:shop.test',
    'http://',
    'ftp://shop.test/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://shop.test/a b',
    'http://shop.test/\r\nx: y',
    ' http://shop.test/',
    'http://shop.test:99999/',
    'http://999.1.1.1/',
    `http://shop.test/${'a'.repeat(2_048 - 16)}`,
  ])('%.40j is not', (text) => expect(readTargetUrl(text)).toBeUndefined());
});

describe('at sight', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1:8080/',
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://api.localhost/',
  ])('%s is refused', (text) => expect(atSight(text)).toBe(true));

  it.each(['http://8.8.8.8/', 'https://shop.test/', 'http://localhost.shop.test/', 'http://notlocalhost/'])(
    '%s is not',
    (text) => expect(atSight(text)).toBe(false),
  );

  it('loopback is fine where the operator allows it', () => {
    expect(atSight('http://localhost:3000/', ['127.0.0.0/8'])).toBe(false);
    expect(atSight('http://127.0.0.1:3000/', ['127.0.0.0/8'])).toBe(false);
    expect(atSight('http://[::1]:3000/', ['127.0.0.0/8'])).toBe(true);
  });

  it('localhost is only the last label', () => expect(isLocalhost('localhost.evil.test')).toBe(false));
});
