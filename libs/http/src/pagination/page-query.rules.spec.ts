import { describe, expect, it } from 'vitest';
import { encodeCursor, parsePageQuery } from './page-query.rules.js';

const key = { createdAtMicros: 1_764_000_000_123_456, id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0' };
const cursor = encodeCursor(key);
const apiError = (message: string) => expect.objectContaining({ status: 400, message });

describe('1.3 limit', () => {
  it.each([
    [undefined, 100],
    ['1', 1],
    ['42', 42],
    ['100', 100],
  ])('%j is %i', (text, limit) => {
    expect(parsePageQuery({ limit: text })).toEqual({ limit });
  });

  it.each([
    '0',
    '101',
    'abc',
    '-1',
    '+5',
    '1.5',
    '1e1',
    ' 5',
    '5 ',
    '0x5',
    '٥',
    '9'.repeat(400),
    ['5', '6'],
    null,
  ])('%j is refused', (text) => {
    expect(() => parsePageQuery({ limit: text })).toThrow(apiError('limit must be between 1 and 100'));
  });
});

describe('1.3 after and before', () => {
  it('are read as positions', () => {
    expect(parsePageQuery({ after: cursor, limit: '5' })).toEqual({ limit: 5, after: key });
    expect(parsePageQuery({ before: cursor })).toEqual({ limit: 100, before: key });
  });

  it('1: together are refused, whatever they hold', () => {
    for (const after of [cursor, 'x']) {
      expect(() => parsePageQuery({ after, before: cursor })).toThrow(
        apiError('after and before are mutually exclusive'),
      );
    }
  });

  it.each([{ after: 'x' }, { before: 'x' }, { cursor: 'x' }, { after: [cursor, cursor] }])(
    '2: %j cannot be decoded',
    (query) => {
      expect(() => parsePageQuery(query)).toThrow(apiError('invalid cursor'));
    },
  );

  it('the old name cursor is read as after when neither is given', () => {
    expect(parsePageQuery({ cursor })).toEqual({ limit: 100, after: key });
    expect(parsePageQuery({ cursor: 'x', before: cursor })).toEqual({ limit: 100, before: key });
    expect(parsePageQuery({ cursor: 'x', after: cursor })).toEqual({ limit: 100, after: key });
  });

  it('other parameters are ignored', () => {
    expect(parsePageQuery({ offset: '7', page: '2' })).toEqual({ limit: 100 });
  });
});
