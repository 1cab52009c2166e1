import { describe, expect, it } from 'vitest';
import { IpNetworks, plainIp } from './ip-networks.js';

describe('plainIp', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:DB8::1', '2001:db8::1'],
    ['::1', '::1'],
    ['192.0.2', undefined],
    ['010.0.0.1', undefined],
    ['example.com', undefined],
    ['', undefined],
  ])('%j reads %j', (text, plain) => {
    expect(plainIp(text)).toBe(plain);
  });
});

describe('IpNetworks', () => {
  const networks = new IpNetworks(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32']);

  it.each([
    ['192.0.2.200', true],
    ['192.0.3.1', false],
    ['198.51.100.7', true],
    ['198.51.100.8', false],
    ['2001:db8:1::1', true],
    ['2001:db9::1', false],
  ])('%s covered: %s', (address, covered) => {
    expect(networks.covers(address)).toBe(covered);
  });

  it('covers nothing when empty', () => {
    expect(new IpNetworks([]).covers('127.0.0.1')).toBe(false);
  });

  it('does not let an IPv6 block of unmapped addresses cover IPv4', () => {
    expect(new IpNetworks(['::/1']).covers('10.0.0.1')).toBe(false);
  });

  it.each(['', '192.0.2.0/33', '192.0.2.0/x', '2001:db8::/129', 'a.test', '1.2.3.4/5/6'])(
    'refuses %j',
    (entry) => {
      expect(() => new IpNetworks([entry])).toThrow(/neither/);
    },
  );
});
