import { IpNetworks } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { bearerToken, bodyFrame, checkBody, clientIp } from './request-head.rules.js';

const header = (value: string) => ['Host', 'x', 'Authorization', value];

describe('§2.1.1 the bearer token', () => {
  it.each([
    ['Bearer pm-sk-1', 'pm-sk-1'],
    ['bearer pm-sk-1', 'pm-sk-1'],
    ['BEARER   pm-sk-1 ', 'pm-sk-1'],
    ['Bearer anything/at.all~+=', 'anything/at.all~+='],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearer a b', undefined],
    ['Basic cG06c2s=', undefined],
    ['pm-sk-1', undefined],
    ['Bearerpm-sk-1', undefined],
    ['', undefined],
  ])('%j gives %j', (value, token) => {
    expect(bearerToken(header(value))).toBe(token);
  });

  it('none without the header, nor in another one', () => {
    expect(bearerToken(['X-Api-Key', 'pm-sk-1'])).toBeUndefined();
    expect(bearerToken([])).toBeUndefined();
  });

  it('none when the header comes twice', () => {
    expect(bearerToken([...header('Bearer a'), 'AUTHORIZATION', 'Bearer a'])).toBeUndefined();
  });
});

const trusted = new IpNetworks(['10.0.0.0/8', '2001:db8:f::/48']);

describe('§3.6 the client IP', () => {
  it.each([
    ['203.0.113.1', undefined, '203.0.113.1'],
    ['::ffff:203.0.113.1', undefined, '203.0.113.1'],
    ['203.0.113.1', '198.51.100.7', '203.0.113.1'],
    ['10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '192.0.2.1, 198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '192.0.2.1, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['10.0.0.1', '198.51.100.7:5060', '198.51.100.7'],
    ['2001:db8:f::1', '[2001:DB8::7]:443', '2001:db8::7'],
    ['10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.7, unknown', '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    [undefined, '198.51.100.7', ''],
  ])('peer %j, header %j: %j', (peer, header, ip) => {
    expect(clientIp(peer, header, trusted)).toBe(ip);
  });

  it('ignores the header when no proxy is configured', () => {
    expect(clientIp('127.0.0.1', '198.51.100.7', new IpNetworks([]))).toBe('127.0.0.1');
  });
});

const check = (headers: Record<string, string>) => checkBody(headers, bodyFrame(headers), 30_000_000);

describe('the body as described by the head', () => {
  it.each([
    [{}, { present: false, length: 0 }],
    [{ 'content-length': '0' }, { present: false, length: 0 }],
    [{ 'content-length': '7' }, { present: true, length: 7 }],
    [{ 'transfer-encoding': 'chunked' }, { present: true, length: undefined }],
  ])('%j', (headers, frame) => {
    expect(bodyFrame(headers)).toEqual(frame);
  });

  it.each([
    undefined,
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json ;x=y',
  ])('§1.4 a body of type %j passes', (type) => {
    expect(() => check({ 'content-length': '2', ...(type && { 'content-type': type }) })).not.toThrow();
  });

  it.each(['', 'text/plain', 'application/jsonp', 'application/json, text/plain', 'multipart/form-data'])(
    '§1.4 a body of type %j is refused',
    (type) => {
      expect(() => check({ 'content-length': '2', 'content-type': type })).toThrow(
        'content type must be application/json',
      );
    },
  );

  it('§1.4 without a body the type does not matter', () => {
    expect(() => check({ 'content-type': 'text/plain' })).not.toThrow();
  });

  it('§1.4 30,000,000 bytes pass, one more does not; the type is checked first', () => {
    expect(() => check({ 'content-length': '30000000' })).not.toThrow();
    expect(() => check({ 'content-length': '30000001' })).toThrow('request body is too large');
    expect(() => check({ 'content-length': '30000001', 'content-type': 'text/plain' })).toThrow(
      /content type/,
    );
  });
});
