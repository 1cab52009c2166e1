import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from './page-query.rules.js';

const sortKey = fc.record({ createdAtMicros: fc.maxSafeNat(), id: fc.uuid() });
const apiError = expect.objectContaining({ status: 400, message: 'invalid cursor' });

describe('cursors', () => {
  it('decode to the encoded sort key', () => {
    fc.assert(
      fc.property(sortKey, (key) => {
        expect(decodeCursor(encodeCursor(key))).toEqual(key);
      }),
    );
  });

  it('are base64url', () => {
    fc.assert(
      fc.property(sortKey, (key) => {
        expect(encodeCursor(key)).toMatch(/^[A-Za-z0-9_-]{38}$/);
      }),
    );
  });

  it('are refused after a change of any character', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= ';
    fc.assert(
      fc.property(sortKey, fc.nat(37), fc.constantFrom(...alphabet), (key, at, other) => {
        const whole = encodeCursor(key);
        fc.pre(whole[at] !== other);
        const changed = whole.slice(0, at) + other + whole.slice(at + 1);
        expect(() => decodeCursor(changed)).toThrow(apiError);
      }),
    );
  });

  it('are refused when they are cut, lengthened or invented', () => {
    const whole = encodeCursor({
      createdAtMicros: 1_764_000_000_123_456,
      id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
    });
    const others = [
      '',
      'x',
      whole.slice(0, -1),
      whole.slice(1),
      `${whole}A`,
      `${whole}=`,
      ` ${whole}`,
      '0'.repeat(38),
    ];
    for (const text of others) expect(() => decodeCursor(text)).toThrow(apiError);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeCursor(text)).toThrow(apiError);
      }),
    );
  });
});
