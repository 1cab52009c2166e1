import { describe, expect, it } from 'vitest';
import { bearerToken } from './bearer-token.rules.js';

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
