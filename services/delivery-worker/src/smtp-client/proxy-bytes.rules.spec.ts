import { describe, expect, it } from 'vitest';
import {
  chosenMethod,
  proxyHeader,
  restOfReply,
  socksConnect,
  socksLogin,
  socksProblem,
} from './proxy-bytes.rules.js';

const hex = (bytes: Buffer) => bytes.toString('hex');

describe('what proxies are sent', () => {
  it('is a PROXY protocol header of version 2', () => {
    const [from, to] = [
      { address: '192.0.2.10', port: 0 },
      { address: '198.51.100.1', port: 25 },
    ];
    expect(hex(proxyHeader(from, to))).toBe('0d0a0d0a000d0a515549540a2111000cc000020ac633640100000019');
    const [from6, to6] = [
      { address: '2001:db8::a', port: 0 },
      { address: '2001:DB8:1:2:3:4:192.0.2.1', port: 25 },
    ];
    expect(hex(proxyHeader(from6, to6))).toBe(
      '0d0a0d0a000d0a515549540a2121002420010db800000000000000000000000a20010db80001000200030004c000020100000019',
    );
  });

  it('is a login and a destination of SOCKS5', () => {
    expect(hex(socksLogin({ user: 'me', password: 'ä' }))).toBe('01026d6502c3a4');
    expect(hex(socksConnect({ address: '198.51.100.1', port: 2525 }))).toBe('05010001c633640109dd');
    expect(hex(socksConnect({ address: '::1', port: 25 }))).toBe(`05010004${'0'.repeat(31)}10019`);
  });
});

describe('a reply of a SOCKS5 proxy', () => {
  it.each([
    ['0500', 'none'],
    ['0502', 'password'],
    ['05ff', undefined],
    ['4854', undefined],
  ])('%s chooses %s', (bytes, method) => {
    expect(chosenMethod(Buffer.from(bytes, 'hex'))).toBe(method);
  });

  it.each([
    ['0500000100', 5],
    ['0500000400', 17],
    ['0500000309', 11],
    ['0500000200', undefined],
  ])('%s is followed by %s bytes', (head, rest) => {
    expect(restOfReply(Buffer.from(head, 'hex'))).toBe(rest);
  });

  it('blames the destination, or the proxy', () => {
    expect(socksProblem(0)).toBeUndefined();
    expect([1, 2, 3, 4, 5, 6, 7, 8, 99, undefined].map((code) => socksProblem(code)?.by)).toEqual([
      ...['proxy', 'proxy', 'address', 'address', 'address', 'address'],
      ...['proxy', 'proxy', 'proxy', 'proxy'],
    ]);
  });
});
