import { describe, expect, it } from 'vitest';
import { fateOf, idempotencyKeyOf, judge, retryAfter } from './idempotency.rules.js';

describe('4.2.3 the header', () => {
  it.each([undefined, '', ' ', '\t  ', []])('%j counts as absent', (header) => {
    expect(idempotencyKeyOf(header)).toBeUndefined();
  });

  it('is a key of up to 255 characters, as it was sent', () => {
    expect(idempotencyKeyOf('order 17')).toBe('order 17');
    expect(idempotencyKeyOf('k'.repeat(255))).toHaveLength(255);
  });

  it('is rejected when longer than 255 characters', () => {
    expect(() => idempotencyKeyOf('k'.repeat(256))).toThrow(
      expect.objectContaining({
        status: 400,
        message: 'idempotency key must be at most 255 characters',
      }),
    );
  });

  it('is read as HTTP joins it when it is sent twice', () => {
    expect(idempotencyKeyOf(['a', 'b'])).toBe('a, b');
  });
});

describe('4.3, 4.4 the fate of a key when its run ends', () => {
  it.each([
    ['standard', 200, 'stored'],
    ['standard', 201, 'stored'],
    ['standard', 202, 'stored'],
    ['standard', 400, 'stored'],
    ['standard', 403, 'stored'],
    ['standard', 404, 'stored'],
    ['standard', 409, 'stored'],
    ['standard', 500, 'released'],
    ['standard', 503, 'released'],
    ['secret', 201, 'stored'],
    ['secret', 400, 'held'],
    ['secret', 403, 'held'],
    ['secret', 409, 'held'],
    ['secret', 500, 'released'],
    // 4.3.8: these do not touch the key
    ['standard', 401, 'released'],
    ['standard', 413, 'released'],
    ['standard', 415, 'released'],
    ['standard', 429, 'released'],
    ['secret', 429, 'released'],
  ] as const)('%s %i is %s', (mode, status, fate) => {
    expect(fateOf(mode, status)).toBe(fate);
  });
});

describe('4.3 the table of states', () => {
  const same = Buffer.from('same');
  const other = Buffer.from('other');
  const record = { fingerprint: same, token: 'held', alive: true, completed: false, home: null, entry: '7' };

  it.each([
    ['in progress, same request', {}, same, 'in-progress'],
    ['in progress, another request', {}, other, 'mismatch'],
    ['completed, same request', { completed: true }, same, 'replay'],
    ['completed, another request', { completed: true }, other, 'mismatch'],
    ['lease over, same request', { alive: false }, same, 'expired'],
    ['lease over, another request', { alive: false }, other, 'expired'],
    ['held by another service', { home: 'domains' }, other, 'elsewhere'],
    ['held by another service, long ago', { home: 'domains', alive: false }, other, 'expired'],
    ['replay over, another request', { alive: false, completed: true }, other, 'expired'],
  ])('%s', (_, state, fingerprint, verdict) => {
    expect(judge({ ...record, ...state }, { fingerprint, token: 'mine' })).toBe(verdict);
  });

  it('recognises its own claim, but not after it was completed', () => {
    expect(judge(record, { fingerprint: same, token: 'held' })).toBe('own');
    expect(judge({ ...record, completed: true }, { fingerprint: same, token: 'held' })).toBe('replay');
  });

  it.each([
    ['the entry that was given up', '7', 'mismatch'],
    ['an earlier one', '6', 'mismatch'],
    ['a later one', '10', 'expired'],
  ] as const)('a key that was given up to another service, asked with %s', (_, entry, verdict) => {
    expect(judge({ ...record, home: 'domains' }, { fingerprint: same, token: 'mine', entry })).toBe(verdict);
  });

  it.each([
    [299.2, 300],
    [1, 1],
    [0.01, 1],
    [0, 1],
    [-3, 1],
  ])('%d s of lease left give Retry-After %i', (left, seconds) => {
    expect(retryAfter(left, false)).toBe(seconds);
  });

  it.each([
    [299.2, 5],
    [4.1, 5],
    [1.2, 2],
    [-3, 1],
  ])('spec 1-platform §4.3 %d s of the lease of a run that lives give Retry-After %i', (left, seconds) => {
    expect(retryAfter(left, true)).toBe(seconds);
  });
});
