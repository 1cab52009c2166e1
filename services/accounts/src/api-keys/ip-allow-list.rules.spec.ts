import { describe, expect, it } from 'vitest';
import { allows, canonicalAllowList } from './ip-allow-list.rules.js';

const many = (count: number) => Array.from({ length: count }, (_, at) => `10.0.${at >> 8}.${at & 255}`);

describe('§3 IP allow lists', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7/32'],
    [' 192.0.2.7 ', '192.0.2.7/32'],
    ['203.0.113.9/24', '203.0.113.0/24'],
    ['2001:DB8:0:0::1', '2001:db8::1/128'],
    ['2001:db8::ffff/32', '2001:db8::/32'],
    ['::ffff:192.0.2.7', '192.0.2.7/32'],
    ['::ffff:192.0.2.7/120', '192.0.2.0/24'],
    ['::ffff:c000:207', '192.0.2.7/32'],
  ])('2. %j is stored as %j', (given, stored) => {
    expect(canonicalAllowList([given])).toEqual([stored]);
  });

  it('2. duplicates after canonicalisation are merged in first-seen order', () => {
    expect(canonicalAllowList(['192.0.2.7', '10.0.0.1', '192.0.2.7/32'])).toEqual([
      '192.0.2.7/32',
      '10.0.0.1/32',
    ]);
  });

  it.each([
    '',
    'x',
    '192.0.2',
    '010.0.0.1',
    '192.0.2.1/33',
    '192.0.2.1/-1',
    '192.0.2.1/08',
    '192.0.2.1/',
    '1.2.3.4/8/8',
    'fe80::1%eth0',
    '2001:db8::/129',
    '3232235777',
  ])('3. %j cannot be read', (entry) => {
    expect(() => canonicalAllowList([entry])).toThrow(`invalid ip_allow_list entry: ${entry}`);
  });

  it.each(['0.0.0.0/0', '::/0', '192.0.2.1/0', '2001:db8::/0', '::ffff:0:0/96'])(
    '3. %j would allow all addresses',
    (entry) => {
      expect(() => canonicalAllowList([entry])).toThrow('ip_allow_list must not allow all addresses');
    },
  );

  it('3. at most 100 entries after de-duplication', () => {
    expect(canonicalAllowList(many(100))).toHaveLength(100);
    expect(canonicalAllowList([...many(100), '10.0.0.0/32'])).toHaveLength(100);
    expect(() => canonicalAllowList(many(101))).toThrow('ip_allow_list must have at most 100 entries');
  });

  it('6. an IPv4-mapped client compares as IPv4; an empty list allows every address', () => {
    expect(allows(['192.0.2.0/24'], '::ffff:192.0.2.9')).toBe(true);
    expect(allows(['192.0.2.0/24'], '192.0.3.9')).toBe(false);
    expect(allows([], '192.0.3.9')).toBe(true);
    expect(allows(['192.0.2.0/24'], '')).toBe(false);
  });
});
