import { expect, it } from 'vitest';
import { normaliseDomain } from './domain-name.js';

it.each([
  [' Shop.TEST. ', 'shop.test'],
  ['größe.test', 'xn--gre-6ka8i.test'],
  [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
  [`${'a'.repeat(64)}.test`, undefined],
  ['a.'.repeat(128), undefined],
  ['shop', undefined],
  ['192.0.2.1', undefined],
  ['shop%2etest', undefined],
])('spec 1-platform §1.2 rule 1 the spelling of %j is %j', (given, name) => {
  expect(normaliseDomain(given)).toBe(name);
});

it('spec 1-platform §1.2 rule 1 a text that cannot be a name is refused before anything is done with it', () => {
  // soft hyphens vanish from a name
  expect(normaliseDomain(`${'\u00ad'.repeat(100)}shop.test`)).toBe('shop.test');
  expect(normaliseDomain(`${'\u00ad'.repeat(1_000)}shop.test`)).toBeUndefined();
});
