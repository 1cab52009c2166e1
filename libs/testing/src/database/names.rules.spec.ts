import { describe, expect, it } from 'vitest';
import { databaseName, isStale } from './names.rules.js';

const now = new Date('2026-11-21T12:00:00Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

describe('names of test databases', () => {
  it('differ each time', () => {
    expect(databaseName(now)).not.toBe(databaseName(now));
  });

  it.each([
    ['an hour and a second old', databaseName(before(3_601)), true],
    ['an hour old', databaseName(before(3_600)), false],
    ['new', databaseName(now), false],
    ["somebody's own", 'postmesh', false],
    ['of a like name', `pmtest_${1}_zz`, false],
  ])('%s', (_case, name, stale) => {
    expect(isStale(name, now)).toBe(stale);
  });
});
