import { describe, expect, it } from 'vitest';
import { MAX_PROXY_HEADER, readProxyHeader } from './proxy-header.rules.js';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
/** version 2: command, protocol, then what follows its length */
function binary(command: string, protocol: string, rest: string): Buffer {
  const length = (rest.length / 2).toString(16).padStart(4, '0');
  return Buffer.from(`${SIGNATURE}${command}${protocol}${length}${rest}`, 'hex');
}
const PORTS = '9c400019';
const OVER_IPV4 = `c6336401c0000201${PORTS}`;
const OVER_IPV6 = `20010db8${'0'.repeat(23)}1${'20010db8'}${'0'.repeat(23)}2${PORTS}`;
/** PP2_TYPE_AWS, 0xEA: the id of the endpoint of a VPC */
const AWS = 'ea000d01'.concat(Buffer.from('vpce-0123456').toString('hex'));

const FOUR = { address: '198.51.100.1', port: 40_000 };
const SIX = { address: '2001:db8::1', port: 40_000 };

describe('a PROXY protocol header', () => {
  it.each([
    ['v1 over IPv4', Buffer.from('PROXY TCP4 198.51.100.1 192.0.2.1 40000 25\r\n'), FOUR],
    ['v1 over IPv6', Buffer.from('PROXY TCP6 2001:db8::1 2001:db8::2 40000 25\r\n'), SIX],
    ['v1 that knows no client', Buffer.from('PROXY UNKNOWN\r\n'), undefined],
    ['v1 that knows none, with addresses', Buffer.from('PROXY UNKNOWN ff::1 ff::2 1 2\r\n'), undefined],
    ['v2 over IPv4', binary('21', '11', OVER_IPV4), FOUR],
    ['v2 over IPv6', binary('21', '21', OVER_IPV6), SIX],
    ['v2 over IPv4 with TLVs', binary('21', '11', `${OVER_IPV4}${AWS}`), FOUR],
    ['v2 of the load balancer itself', binary('20', '00', ''), undefined],
    ['v2 of the load balancer itself, with addresses', binary('20', '11', OVER_IPV4), undefined],
    ['v2 without a protocol', binary('21', '00', AWS), undefined],
    ['v2 over a local socket', binary('21', '31', '00'.repeat(216)), undefined],
  ])('%s is read, also in pieces, and ends where it ends', (_, header, client) => {
    const bytes = Buffer.concat([header, Buffer.from('EHLO')]);
    expect(readProxyHeader(bytes)).toEqual({ kind: 'header', length: header.length, client });
    for (let length = 0; length < header.length; length++) {
      expect(readProxyHeader(bytes.subarray(0, length))).toEqual({ kind: 'incomplete' });
    }
  });

  it.each([
    ['a command', 'EHLO me.test\r\n'],
    ['another protocol', 'PROXY UDP4 198.51.100.1 192.0.2.1 40000 25\r\n'],
    ['a name', 'PROXY TCP4 mail.test 192.0.2.1 40000 25\r\n'],
    ['an address of the other protocol', 'PROXY TCP4 2001:db8::1 2001:db8::2 40000 25\r\n'],
    ['a zone', 'PROXY TCP6 fe80::1%eth0 2001:db8::2 40000 25\r\n'],
    ['no port', 'PROXY TCP4 198.51.100.1 192.0.2.1\r\n'],
    ['a port that is none', 'PROXY TCP4 198.51.100.1 192.0.2.1 65536 25\r\n'],
    ['more than it has', 'PROXY TCP4 198.51.100.1 192.0.2.1 40000 25 x\r\n'],
    ['a line without end', `PROXY UNKNOWN ${'x'.repeat(100)}`],
  ])('v1 with %s is refused', (_, line) => {
    expect(readProxyHeader(Buffer.from(line))).toMatchObject({ kind: 'invalid' });
  });

  it.each([
    ['another version', binary('11', '11', OVER_IPV4)],
    ['an unknown command', binary('22', '11', OVER_IPV4)],
    ['datagrams', binary('21', '12', OVER_IPV4)],
    ['an unknown family', binary('21', '41', OVER_IPV4)],
    ['addresses that are cut off', binary('21', '21', OVER_IPV4)],
    ['a length beyond the bound', Buffer.from(`${SIGNATURE}2111ffff`, 'hex')],
  ])('v2 with %s is refused', (_, bytes) => {
    expect(readProxyHeader(bytes)).toMatchObject({ kind: 'invalid' });
  });

  it('is decided within its bound, whatever the bytes are', () => {
    for (let seed = 1; seed < 2_000; seed++) {
      const bytes = Buffer.alloc(MAX_PROXY_HEADER + 1);
      Buffer.from(seed % 2 ? SIGNATURE : Buffer.from('PROXY ').toString('hex'), 'hex').copy(bytes);
      for (let at = 12; at < 64; at++) bytes[at] = (seed * (at + 7) * 2_654_435_761) >>> 24;
      expect(readProxyHeader(bytes).kind).not.toBe('incomplete');
    }
  });
});
