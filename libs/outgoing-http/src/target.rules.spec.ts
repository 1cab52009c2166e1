import { describe, expect, it } from 'vitest';
import { AddressPolicy } from './address-policy.rules.js';
import { isLocalhost, isRefusedAtSight, readTargetUrl } from './target.rules.js';

const atSight = (text: string, allow: readonly string[] = []) =>
  isRefusedAtSight(readTargetUrl(text) as URL, new AddressPolicy(allow));

describe('a target URL', () => {
  it.each([
    'https://shop.test/hooks',
    'http://shop.test',
    'HTTPS://SHOP.TEST/',
    'http://shop.test:8080/a?b=c#d',
    'https://user:pass@shop.test/',
    'http://[2606:4700:4700::1111]/',
    `http://shop.test/${'a'.repeat(2_048 - 17)}`,
  ])('%.40s is read', (text) => expect(readTargetUrl(text)).toBeInstanceOf(URL));

  it.each([
    '',
    'shop.test/hooks',
    '/hooks',
    '//shop.test/hooks',
    'http:shop.test',
    'http://',
    'ftp://shop.test/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://shop.test/a b',
    'http://shop.test/\r\nx: y',
    ' http://shop.test/',
    'http://shop.test:99999/',
    'http://999.1.1.1/',
    `http://shop.test/${'a'.repeat(2_048 - 16)}`,
  ])('%.40j is not', (text) => expect(readTargetUrl(text)).toBeUndefined());
});

describe('at sight', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1:8080/',
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://api.localhost/',
  ])('%s is refused', (text) => expect(atSight(text)).toBe(true));

  it.each(['http://8.8.8.8/', 'https://shop.test/', 'http://localhost.shop.test/', 'http://notlocalhost/'])(
    '%s is not',
    (text) => expect(atSight(text)).toBe(false),
  );

  it('loopback is fine where the operator allows it', () => {
    expect(atSight('http://localhost:3000/', ['127.0.0.0/8'])).toBe(false);
    expect(atSight('http://127.0.0.1:3000/', ['127.0.0.0/8'])).toBe(false);
    expect(atSight('http://[::1]:3000/', ['127.0.0.0/8'])).toBe(true);
  });

  it('localhost is only the last label', () => expect(isLocalhost('localhost.evil.test')).toBe(false));
});
