import { describe, expect, it } from 'vitest';
import { shownWebsite, websiteField } from './website.rules.js';

const read = (text: string, min: 0 | 1 = 0) => websiteField(min).safeParse(text);

describe('a website', () => {
  it.each([
    ['https://example.com', 'example.com'],
    ['https://acme.com/team', 'acme.com'],
    ['http://example.com/', 'example.com'],
    ['HTTPS://Example.com/Shop?a=1#b', 'example.com'],
    ['https://example.com.:8443/', 'example.com'],
    ['https://bücher.example/ä', 'xn--bcher-kva.example'],
    ['  example.com ', 'example.com'],
    ['Shop.Example.COM.', 'shop.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
  ])('%j is kept as %j', (given, kept) => {
    expect(read(given)).toMatchObject({ data: kept });
    expect(shownWebsite(given.trim())).toBe(kept);
  });

  it.each([
    'example',
    'http://localhost:3000',
    'http://192.0.2.1/',
    'http://[2001:db8::1]/',
    'ftp://example.com',
    'javascript:alert(1)',
    'mailto:ann@example.com',
    'https://',
    'https://exa mple.com',
    'https://example.com/\u202e',
    'https://bank.example@evil.example/',
    'example.com/path',
  ])('%j is none', (given) => {
    expect(read(given).error?.issues).toMatchObject([{ message: 'website must be a valid URL' }]);
  });

  it('that is empty clears the one of an account; a sub-account needs one', () => {
    expect(read(' ')).toMatchObject({ data: '' });
    expect(read(' ', 1).error?.issues).toMatchObject([{ message: 'website must not be empty' }]);
  });

  it('has at most 255 characters', () => {
    const at = (length: number) => `https://example.com/${'ä'.repeat(length - 20)}`;
    expect(read(at(255))).toMatchObject({ data: 'example.com' });
    expect(read(at(256)).error?.issues).toMatchObject([
      { message: 'website must be at most 255 characters' },
    ]);
  });

  it('of an earlier release that has no domain is shown as it is', () => {
    expect(['http://localhost:3000', ''].map(shownWebsite)).toEqual(['http://localhost:3000', '']);
  });
});
