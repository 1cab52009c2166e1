import { expect, it } from 'vitest';
import { chooseEncoding } from './accept-encoding.rules.js';

const ALL = () => true;

it.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['*', 'br'],
  ['BR', 'br'],
  ['identity', 'identity'],
  ['*;q=0', 'identity'],
  ['', 'identity'],
  [undefined, 'identity'],
] as const)('for %j it is %s', (header, chosen) => {
  expect(chooseEncoding(header, ALL)).toBe(chosen);
});

it('is what exists', () => {
  expect(chooseEncoding('br, gzip', (encoding) => encoding !== 'br')).toBe('gzip');
});
