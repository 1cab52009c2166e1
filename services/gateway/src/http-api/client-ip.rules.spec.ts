import { IpNetworks } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { clientIp } from './client-ip.rules.js';

const trusted = new IpNetworks(['10.0.0.0/8', '2001:db8:f::/48']);

describe('§3.6 the client IP', () => {
  it.each([
    ['203.0.113.1', undefined, '203.0.113.1'],
    ['::ffff:203.0.113.1', undefined, '203.0.113.1'],
    ['203.0.113.1', '198.51.100.7', '203.0.113.1'],
    ['10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '192.0.2.1, 198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '192.0.2.1, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['10.0.0.1', '198.51.100.7:5060', '198.51.100.7'],
    ['2001:db8:f::1', '[2001:DB8::7]:443', '2001:db8::7'],
    ['10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.7, unknown', '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    [undefined, '198.51.100.7', ''],
  ])('peer %j, header %j: %j', (peer, header, ip) => {
    expect(clientIp(peer, header, trusted)).toBe(ip);
  });

  it('believes nobody when no proxy is configured', () => {
    expect(clientIp('127.0.0.1', '198.51.100.7', new IpNetworks([]))).toBe('127.0.0.1');
  });
});
