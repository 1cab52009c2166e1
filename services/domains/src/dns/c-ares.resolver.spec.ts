import { describe, expect, it } from 'vitest';
import { askingOrder, failedQuery } from './c-ares.resolver.js';

describe('a record is judged only on a conclusive answer', () => {
  it.each([
    ['ENODATA', 'no-record'],
    ['ENOTFOUND', 'no-name'],
    ['EBADNAME', 'no-name'],
    ['ESERVFAIL', 'inconclusive'],
    ['EREFUSED', 'inconclusive'],
    ['ETIMEOUT', 'inconclusive'],
    ['ECONNREFUSED', 'inconclusive'],
    ['EBADRESP', 'inconclusive'],
    ['EFORMERR', 'inconclusive'],
    ['ENOTIMP', 'inconclusive'],
  ])('%s means %s', (code, meaning) => {
    expect(failedQuery(code)).toBe(meaning);
  });
});

describe('resolvers are tried in turn', () => {
  it.each([
    [0, 0, []],
    [1, 0, [0, 0]],
    [2, 0, [0, 1]],
    [2, 1, [1, 0]],
    [3, 2, [2, 0, 1]],
  ])('%i servers, number %i answered last: %j', (servers, preferred, order) => {
    expect(askingOrder(servers, preferred)).toEqual(order);
  });
});
