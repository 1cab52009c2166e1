import { describe, expect, it } from 'vitest';
import type { DnsState } from '../database/entities.js';
import { isFresh, judgeDomain, nextCheckAt, nextDnsState, type CheckSource } from './dns-state.rules.js';
import type { Verdict } from './text-records.rules.js';

describe('the verdict on a domain', () => {
  it.each<[Verdict[], Verdict]>([
    [['pass', 'pass', 'pass'], 'pass'],
    [['pass', 'unknown', 'pass'], 'unknown'],
    [['unknown', 'fail', 'pass'], 'fail'],
    [['unknown', 'unknown', 'unknown'], 'unknown'],
  ])('%j: %s', (required, expected) => {
    expect(judgeDomain(required)).toBe(expected);
  });
});

describe('the DNS state of a domain', () => {
  type Row = [
    from: DnsState,
    failures: number,
    verdict: Verdict,
    source: CheckSource,
    to: DnsState,
    left: number,
  ];

  it.each<Row>([
    ['pending', 0, 'pass', 'api', 'valid', 0],
    ['pending', 0, 'pass', 'background', 'valid', 0],
    ['pending', 0, 'fail', 'api', 'pending', 0],
    ['pending', 0, 'fail', 'background', 'pending', 0],
    ['valid', 0, 'pass', 'background', 'valid', 0],
    ['valid', 0, 'fail', 'background', 'suspect', 1],
    ['suspect', 1, 'fail', 'background', 'suspect', 2],
    ['suspect', 2, 'fail', 'background', 'invalid', 0],
    ['suspect', 2, 'pass', 'background', 'valid', 0],
    ['suspect', 1, 'pass', 'api', 'valid', 0],
    ['valid', 0, 'fail', 'api', 'invalid', 0],
    ['suspect', 1, 'fail', 'api', 'invalid', 0],
    ['invalid', 0, 'fail', 'api', 'invalid', 0],
    ['invalid', 0, 'fail', 'background', 'invalid', 0],
    ['invalid', 0, 'pass', 'background', 'valid', 0],
    ['pending', 0, 'unknown', 'api', 'pending', 0],
    ['valid', 0, 'unknown', 'api', 'valid', 0],
    ['suspect', 2, 'unknown', 'background', 'suspect', 2],
    ['invalid', 0, 'unknown', 'background', 'invalid', 0],
  ])('(%s, %i failures) and %s from %s: %s, %i', (from, failures, verdict, source, to, left) => {
    const after = nextDnsState({ state: from, failures, contested: false }, verdict, source);
    expect(after).toMatchObject({ state: to, failures: left });
    expect(after.becameInvalid).toBe(to === 'invalid' && from !== 'invalid');
    expect(after.becameValid).toBe(to === 'valid' && (from === 'pending' || from === 'invalid'));
  });

  it('is lost at once by a contested domain that fails in the background', () => {
    const before = { state: 'valid', failures: 0, contested: true } as const;
    expect(nextDnsState(before, 'fail', 'background')).toMatchObject({
      state: 'invalid',
      becameInvalid: true,
    });
    expect(nextDnsState(before, 'pass', 'background')).toMatchObject({ state: 'valid', contested: false });
    expect(nextDnsState(before, 'unknown', 'background')).toMatchObject({ state: 'valid', contested: true });
  });
});

const SINCE = new Date('2026-01-05T08:00:00.000Z');
const MINUTE = 60_000;
const later = (minutes: number) => new Date(SINCE.getTime() + minutes * MINUTE);

describe('when the background looks next', () => {
  it.each<[DnsState, age: number, chance: number, wait: number]>([
    ['valid', 500, 0, 15],
    ['valid', 500, 1, 30],
    ['suspect', 0, 0.5, 5],
    ['pending', 0, 0, 1],
    ['pending', 1, 0, 4],
    ['pending', 5, 0, 10],
    ['pending', 15, 0, 15],
    ['pending', 29, 0, 1],
    ['pending', 30, 0, 60],
    ['pending', 14 * 24 * 60 - 1, 0, 60],
    ['pending', 14 * 24 * 60, 0, 24 * 60],
    ['invalid', 0, 0, 1],
    ['invalid', 100, 0, 60],
  ])('%s for %i minutes, chance %d: in %i minutes', (state, age, chance, wait) => {
    const next = nextCheckAt({ state, since: SINCE, now: later(age), chance });
    expect(next).toEqual(later(age + wait));
  });
});

describe('a stored result', () => {
  it('is fresh for less than 60 seconds', () => {
    expect(isFresh(null, SINCE)).toBe(false);
    expect(isFresh(SINCE, new Date(SINCE.getTime() + 59_999))).toBe(true);
    expect(isFresh(SINCE, later(1))).toBe(false);
  });
});
