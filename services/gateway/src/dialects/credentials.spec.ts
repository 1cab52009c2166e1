import { describe, expect, it } from 'vitest';
import { fromBasic, fromHeader } from './credentials.js';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the key of a client', () => {
  it.each([
    [['X-Token', ' key '], 'key'],
    [['x-token', ''], undefined],
    [['x-token', 'a', 'X-Token', 'b'], undefined],
    [['other', 'x-token', 'x', 'key'], undefined],
    [[], undefined],
  ])('in a header: %j', (rawHeaders, secret) => {
    expect(fromHeader('x-token')(rawHeaders)).toBe(secret);
  });

  it.each([
    [['Authorization', basic('api:key')], 'key'],
    [['authorization', basic('api:a:b')], 'a:b'],
    [['authorization', basic('other:key')], undefined],
    [['authorization', basic('api:')], undefined],
    [['authorization', basic('api:a b')], undefined],
    [['authorization', 'Bearer key'], undefined],
    [['authorization', basic('api:a'), 'authorization', basic('api:b')], undefined],
  ])('as a password: %j', (rawHeaders, secret) => {
    expect(fromBasic('api')(rawHeaders)).toBe(secret);
  });
});
