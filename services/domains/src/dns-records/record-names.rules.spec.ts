import { describe, expect, it } from 'vitest';
import { isApex, isPublicSuffix, organisationalDomain } from './record-names.rules.js';

describe('a public suffix is nobody’s sending domain', () => {
  it.each([
    ['co.uk', true],
    ['kobe.jp', true],
    ['foo.ck', true],
    ['shop.test', false],
    ['shop.co.uk', false],
    ['mail.shop.test', false],
    ['github.io', false],
  ])('%s: %s', (name, expected) => {
    expect(isPublicSuffix(name)).toBe(expected);
  });
});

describe('the organisational domain', () => {
  it.each([
    ['shop.test', 'shop.test'],
    ['a.b.shop.test', 'shop.test'],
    ['mail.shop.co.uk', 'shop.co.uk'],
    ['news.shop.github.io', 'shop.github.io'],
    ['github.io', 'github.io'],
    ['x.xn--p1ai', 'x.xn--p1ai'],
  ])('of %s is %s', (name, expected) => {
    expect(organisationalDomain(name)).toBe(expected);
    expect(isApex(name)).toBe(name === expected);
  });
});
