import { expect, it } from 'vitest';
import { ownAddresses } from './own-addresses.rules.js';

const settings = {
  sendingAddresses: ['198.51.100.0/28', '2001:db8::10'],
  egressSources: [{ id: 'a', address: '192.0.2.10', ehlo: 'a.example.com' }],
};

it.each([
  ['198.51.100.15', true],
  ['198.51.100.16', false],
  ['2001:db8:0::10', true],
  ['192.0.2.10', true],
  ['203.0.113.9', true],
  ['203.0.113.8', false],
  ['other', false],
])('%s is ours: %o', (address, isOwn) =>
  expect(ownAddresses(settings, ['203.0.113.9'])(address)).toBe(isOwn),
);
