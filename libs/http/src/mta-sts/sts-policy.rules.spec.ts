import { describe, expect, it } from 'vitest';
import { namesHost, parseStsPolicy, readStsRecord } from './sts-policy.rules.js';

describe('the record in DNS (RFC 8461 §3.1)', () => {
  it.each([
    [['v=STSv1; id=20160831085700Z;'], '20160831085700Z'],
    [['v=STSv1;id=1'], '1'],
    [['v=STSv1 ; id=abc ; new=thing'], 'abc'],
    [['v=spf1 -all', 'v=STSv1; id=2;'], '2'],
    [[], undefined],
    [['v=STSv1; id=1', 'v=STSv1; id=1'], undefined],
    [['v=STSv1;'], undefined],
    [['v=STSv1; id=not-an-id'], undefined],
    [[`v=STSv1; id=${'a'.repeat(33)}`], undefined],
    [['v=STSv1; id=1; id=2'], undefined],
    [['v=STSv12; id=1'], undefined],
    [['id=1; v=STSv1'], undefined],
  ])('%j has the id %s', (texts, id) => expect(readStsRecord(texts)).toBe(id));
});

const GOOD =
  'version: STSv1\r\nmode: enforce\r\nmx: mail.example.com\r\nmx: *.Example.net\r\nmax_age: 604800\r\n';

describe('a policy (RFC 8461 §3.2)', () => {
  it.each([
    [GOOD, { mode: 'enforce', mx: ['mail.example.com', '*.example.net'], maxAgeSeconds: 604_800 }],
    [GOOD.replaceAll('\r\n', '\n'), { mode: 'enforce' }],
    [
      'max_age:1\nmx:a.test\nmode:testing\nversion:STSv1',
      { mode: 'testing', mx: ['a.test'], maxAgeSeconds: 1 },
    ],
    ['version: STSv1\nmode: none\nmax_age: 86400\n', { mode: 'none', mx: [] }],
    [`${GOOD}mode: none\n`, { mode: 'enforce' }],
    [`${GOOD}later: thing\nwithout colon\n`, { mode: 'enforce' }],
    [GOOD.replace('604800', '9999999999'), { maxAgeSeconds: 31_557_600 }],
  ])('%j is read', (text, policy) => expect(parseStsPolicy(text)).toMatchObject(policy));

  it.each([
    ['', 'version'],
    [GOOD.replace('STSv1', 'STSv2'), 'version'],
    [GOOD.replace('enforce', 'enforced'), 'mode'],
    [GOOD.replace('604800', '-1'), 'max_age'],
    [GOOD.replace('604800', '1e5'), 'max_age'],
    [GOOD.replace('max_age', 'maxage'), 'max_age'],
    ['version: STSv1\nmode: enforce\nmax_age: 1', 'names no mx'],
    [GOOD.replace('*.Example', 'mx.*.example'), 'no name of a host'],
    [GOOD.replace('mail.example.com', '*'), 'no name of a host'],
    [GOOD + 'mx: a.test\n'.repeat(500), 'more than 500'],
    ['<html></html>', 'version'],
  ])('%j is none', (text, why) => expect(() => parseStsPolicy(text)).toThrow(why));

  it.each([
    ['mail.example.com', true],
    ['MAIL.example.com', true],
    ['mx1.example.net', true],
    ['a.mx1.example.net', false],
    ['example.net', false],
    ['evil-mail.example.com', false],
    ['mail.example.com.evil.test', false],
    ['net', false],
  ])('that names mail.example.com and *.example.net: %s is its host: %s', (host, named) =>
    expect(namesHost(['mail.example.com', '*.example.net'], host)).toBe(named),
  );
});
