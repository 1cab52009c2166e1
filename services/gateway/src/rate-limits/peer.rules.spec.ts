import { describe, expect, it } from 'vitest';
import { peerOf } from './peer.rules.js';

describe('one peer', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['2001:0db8:0000::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('%j is of %j', (address, peer) => {
    expect(peerOf(address)).toBe(peer);
  });
});
