import { describe, expect, it } from 'vitest';
import { storedWebsite, websiteProblem } from './website.rules.js';

describe('a website', () => {
  it.each([
    ['', '', ''],
    ['https://example.com', 'https://example.com', 'example.com'],
    ['http://example.com/', 'http://example.com/', 'example.com'],
    ['HTTPS://Example.com/Shop?a=1#b', 'HTTPS://Example.com/Shop?a=1#b', 'example.com'],
    ['https://example.com:8443/', 'https://example.com:8443/', 'example.com'],
    ['https://bücher.example/ä', 'https://bücher.example/ä', 'xn--bcher-kva.example'],
    ['example.com', 'example.com', 'example.com'],
    ['Shop.Example.COM.', 'shop.example.com', 'shop.example.com'],
    ['bücher.example', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ])('%j is stored as %j, of a sub-account as %j', (given, ofAccount, ofSubAccount) => {
    expect(websiteProblem(given)).toBeUndefined();
    expect(storedWebsite(given, { isSubAccount: false })).toBe(ofAccount);
    expect(storedWebsite(given, { isSubAccount: true })).toBe(ofSubAccount);
  });

  it.each(['http://localhost:3000', 'http://192.0.2.1/'])('%j has no domain for a sub-account', (given) => {
    expect(storedWebsite(given, { isSubAccount: false })).toBe(given);
    expect(() => storedWebsite(given, { isSubAccount: true })).toThrow('website must be a valid URL');
  });

  it.each([
    'example',
    'ftp://example.com',
    'javascript:alert(1)',
    'mailto:ann@example.com',
    'https://',
    'https://exa mple.com',
    'https://example.com/\n',
    'https://example.com/\u202e',
    'https://bank.example@evil.example/',
    'example.com/path',
  ])('%j is none', (given) => {
    expect(websiteProblem(given)).toBe('must be a valid URL');
  });

  it('has at most 255 characters', () => {
    const at = (length: number) => `https://example.com/${'ä'.repeat(length - 20)}`;
    expect(websiteProblem(at(255))).toBeUndefined();
    expect(websiteProblem(at(256))).toBe('must be at most 255 characters');
  });
});
