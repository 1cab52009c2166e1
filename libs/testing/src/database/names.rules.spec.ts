import { describe, expect, it } from 'vitest';
import { databaseName, isStale, templateName } from './names.rules.js';

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
    ['a template', templateName('messages', 'x'), false],
    ['of a like name', `pmtest_${1}_zz`, false],
  ])('%s', (_case, name, stale) => {
    expect(isStale(name, now)).toBe(stale);
  });
});

describe('names of templates', () => {
  it('depend on the state and on the sources', () => {
    expect(templateName('delivery-worker', 'a')).toMatch(/^pmtest_template_delivery_worker_[0-9a-f]{16}$/);
    expect(templateName('messages', 'a')).toBe(templateName('messages', 'a'));
    expect(templateName('messages', 'a')).not.toBe(templateName('messages', 'b'));
  });

  it.each(['', 'Messages', 'a; drop', '1a', 'a'.repeat(40)])('refuses %j', (name) => {
    expect(() => templateName(name, '')).toThrow(/not the name of a template/);
  });
});
