import { describe, expect, it } from 'vitest';
import { databaseName, isStale, templateName } from './names.rules.js';

const now = new Date('2026-11-21T12:00:00Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

describe('names of test databases', () => {
  it('differ each time', () => {
    expect(databaseName(now)).not.toBe(databaseName(now));
  });

  it.each([
    ['three hours and a second old', databaseName(before(10_801)), true],
    ['three hours old', databaseName(before(10_800)), false],
    ['a template three hours and a second old', templateName(before(10_801), 'abcdef012345'), true],
    ['a template that was not finished', `${templateName(before(10_801), 'abcdef012345')}_draft`, true],
    ['new', databaseName(now), false],
    ['made by a person', 'postmesh', false],
    ['of a like name', `pmtest_${1}_zz`, false],
  ])('%s', (_case, name, stale) => {
    expect(isStale(name, now)).toBe(stale);
  });
});
