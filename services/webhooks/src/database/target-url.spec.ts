import { SecretBox } from '@postmesh/secrets';
import { describe, expect, it } from 'vitest';
import { givenUrl, storedUrl, wholeUrl } from './target-url.js';

const box = new SecretBox(['a-secret-key-that-is-long-enough-for-it']);

describe('a URL with a password', () => {
  it.each([
    ['https://user:secret@shop.test/hooks?a=1', 'https://user:***@shop.test/hooks?a=1'],
    ['https://:secret@shop.test', 'https://:***@shop.test/'],
    ['HTTPS://u%40x:s%3Ae@Shop.test:8443/', 'https://u%40x:***@shop.test:8443/'],
  ])('%s is shown as %s, and kept whole where it is sealed', (url, shown) => {
    const stored = storedUrl(url, 'webhook-url/1', box);
    expect(stored.url).toBe(shown);
    expect(JSON.stringify(stored)).not.toMatch(/secret|s%3Ae/);
    expect(wholeUrl(stored, 'webhook-url/1', box)).toBe(url);
    expect(() => wholeUrl(stored, 'webhook-url/2', box)).toThrow();
  });

  it.each(['https://shop.test/a@b:c@d', 'https://user@shop.test', 'https://shop.test/?u=a:b@c'])(
    '%s has none',
    (url) => {
      const stored = { url, sealed_url: null };
      expect(storedUrl(url, 'webhook-url/1', box)).toEqual(stored);
      expect(wholeUrl(stored, 'webhook-url/1', box)).toBe(url);
    },
  );

  const NOW = 'https://user:secret@shop.test/hooks';

  it.each([
    ['https://user:***@shop.test/hooks', NOW],
    ['https://user:***@shop.test/other', 'https://user:secret@shop.test/other'],
    ['https://user:new@shop.test/hooks', 'https://user:new@shop.test/hooks'],
    ['https://shop.test/hooks', 'https://shop.test/hooks'],
  ])('is written back as it was shown: %s', (given, whole) => expect(givenUrl(given, NOW)).toBe(whole));

  it.each([
    'https://user:***@evil.test/hooks',
    'https://other:***@shop.test/hooks',
    'http://user:***@shop.test/',
  ])('is not taken to another user or origin: %s', (given) => {
    expect(() => givenUrl(given, NOW)).toThrow('url must have its password, since its host or user changes');
  });
});
