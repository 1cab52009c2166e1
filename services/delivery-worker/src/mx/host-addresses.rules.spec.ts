import { describe, expect, it } from 'vitest';
import { addressCheck, permittedAddresses } from './host-addresses.rules.js';

const OWN = ['8.8.4.4', '2606:4700::9', '10.0.0.9', 'fe80::1'];
const faultOf = addressCheck(OWN, 'mail.example');

describe('an address of a mail host', () => {
  it.each([
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['127.0.0.1', 'private'],
    ['0.0.0.0', 'private'],
    ['169.254.169.254', 'private'],
    ['224.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['::', 'private'],
    ['::1', 'private'],
    ['fe80::1', 'private'],
    ['fc00::1', 'private'],
    ['ff02::1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:7f00:1', 'private'],
    ['64:ff9b::7f00:1', 'private'],
    ['8.8.4.4', 'own'],
    ['::ffff:8.8.4.4', 'own'],
    ['2606:4700:0:0::9', 'own'],
    ['8.8.8.8', undefined],
    ['2606:4700:4700::1111', undefined],
  ])('%s is %s', (address, fault) => expect(faultOf(address, 'mx.shop.test')).toBe(fault));

  it('of our own inbound mail may be our own, and no private one', () => {
    expect(faultOf('8.8.4.4', 'mx.mail.example')).toBeUndefined();
    expect(faultOf('8.8.4.4', 'mx.evilmail.example')).toBe('own');
    expect(faultOf('10.0.0.9', 'mx.mail.example')).toBe('private');
  });
});

describe('the addresses of a mail host', () => {
  const look = (...value: string[]) =>
    permittedAddresses({ kind: 'found', value, ttlSeconds: 60 }, (address) =>
      faultOf(address, 'mx.shop.test'),
    );

  it('are those that may be connected to', () => {
    expect(look('10.0.0.1', '8.8.8.8', '::1')).toEqual({ kind: 'found', value: ['8.8.8.8'], ttlSeconds: 60 });
  });

  it('are refused when none is left, with the reason', () => {
    expect(look('10.0.0.1', '::1')).toEqual({
      kind: 'refused',
      addresses: ['10.0.0.1', '::1'],
      fault: 'private',
    });
    expect(look('8.8.4.4')).toMatchObject({ kind: 'refused', fault: 'own' });
  });

  it('are a few of each family, however many there are', () => {
    const v4 = Array.from({ length: 4_000 }, (_, nth) => `8.8.${nth >> 8}.${nth & 255}`);
    const v6 = Array.from({ length: 4_000 }, (_, nth) => `2606:4700::${(nth + 16).toString(16)}`);
    const found = look(...v4, ...v6);
    expect(found.kind === 'found' ? found.value : []).toEqual([...v4.slice(0, 8), ...v6.slice(0, 8)]);
  });

  it('that could not be looked up stay unknown', () => {
    const failed = { kind: 'failed', reason: 'time is up' } as const;
    expect(permittedAddresses(failed, () => 'private')).toBe(failed);
  });
});
