import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedbackAddress, fromBase32, readVerp, toBase32, verpAddress } from './verp.js';

const ID = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';
const KEY = 'a key of thirty-two characters ok';
const ADDRESS = verpAddress(ID, 'rp.shop.test', KEY);

describe('a VERP address', () => {
  it('is safe in any server: short, lower case, letters and digits', () => {
    expect(ADDRESS).toMatch(/^b\+[a-z2-7]{42}@rp\.shop\.test$/);
  });

  it('names its record in any letter case', () => {
    expect(readVerp(ADDRESS, [KEY])).toBe(ID);
    expect(readVerp(ADDRESS.toUpperCase(), [KEY])).toBe(ID);
  });

  it('is read with an older key while keys rotate', () => {
    expect(readVerp(ADDRESS, ['new key', KEY])).toBe(ID);
    expect(readVerp(ADDRESS, ['new key'])).toBeUndefined();
    expect(readVerp(ADDRESS, [])).toBeUndefined();
  });

  it.each([
    '',
    'b+@x.test',
    'ann@mail.test',
    'b+short@x.test',
    ADDRESS.replace('b+', 'c+'),
    ADDRESS.split('@')[0] ?? '',
  ])('is not %j', (address) => expect(readVerp(address, [KEY])).toBeUndefined());

  it('cannot be changed anywhere in its token', () => {
    for (let at = 2; at < 44; at++) {
      const other = ADDRESS[at] === 'a' ? 'b' : 'a';
      expect(readVerp(ADDRESS.slice(0, at) + other + ADDRESS.slice(at + 1), [KEY])).toBeUndefined();
    }
  });

  it('is made for UUIDs only', () => {
    expect(() => verpAddress('not-a-uuid', 'x.test', KEY)).toThrow(TypeError);
    expect(() => verpAddress(`${ID}\r\n`, 'x.test', KEY)).toThrow(TypeError);
  });

  it('reads back for every record', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string(), (id, key) => {
        expect(readVerp(verpAddress(id, 'x.test', key), [key])).toBe(id);
      }),
    );
  });
});

describe('a feedback address', () => {
  const address = feedbackAddress(ID, 'rp.shop.test', KEY);

  it('names its record', () => {
    expect(address).toMatch(/^fbl\+[a-z2-7]{42}@rp\.shop\.test$/);
    expect(readVerp(address.toUpperCase(), ['new key', KEY], 'feedback')).toBe(ID);
  });

  it('cannot be turned into a bounce address, nor back', () => {
    expect(readVerp(address, [KEY])).toBeUndefined();
    expect(readVerp(address.replace('fbl+', 'b+'), [KEY])).toBeUndefined();
    expect(readVerp(ADDRESS.replace('b+', 'fbl+'), [KEY], 'feedback')).toBeUndefined();
  });
});

describe('base32', () => {
  it('has one spelling for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(fromBase32(toBase32(bytes))?.equals(Buffer.from(bytes))).toBe(true);
      }),
    );
    expect(fromBase32('ab1')).toBeUndefined();
    expect(fromBase32('ab')).toBeUndefined();
  });
});
