import { describe, expect, it } from 'vitest';
import { contactVerdict, mayBounceTooMuch, type DomainKnowledge } from './contact-check.rules.js';

const known =
  (knowledge: Partial<DomainKnowledge> = {}) =>
  (): DomainKnowledge => ({ hosts: 'found', isListed: false, ...knowledge });

describe('spec 3-marketing §6.3: the check of a contact', () => {
  it.each([
    ['pat@mail.test', {}, 'valid'],
    ['пат@почта.рф', {}, 'valid'],
    ['"a b"@mail.test', {}, 'valid'],
    ['a..b@mail.test', {}, 'invalid'],
    ['.a@mail.test', {}, 'invalid'],
    ['a b@mail.test', {}, 'invalid'],
    ['a@b@mail.test', {}, 'invalid'],
    ['@mail.test', {}, 'invalid'],
    ['a@nowhere', {}, 'invalid'],
    [`${'a'.repeat(65)}@mail.test`, {}, 'invalid'],
    ['pat@gone.test', { hosts: 'no_such_domain' }, 'invalid'],
    ['pat@null.test', { hosts: 'null_mx' }, 'invalid'],
    ['pat@box.test', { isListed: true }, 'risky'],
    ['info@mail.test', {}, 'risky'],
    ['info+shop@mail.test', {}, 'risky'],
    ['informer@mail.test', {}, 'valid'],
    ['pat@slow.test', { hosts: 'unknown' }, 'unknown'],
    ['info@slow.test', { hosts: 'unknown' }, 'risky'],
    ['pat@box.test', { isListed: true, hosts: 'no_such_domain' }, 'invalid'],
  ] as const)('spec 3-marketing §6.3 %s with %j is %s', (email, knowledge, verdict) =>
    expect(contactVerdict(email, known(knowledge))).toBe(verdict),
  );
});

describe('spec 3-marketing §6.4: too many contacts that may bounce', () => {
  it.each([
    [99, 99, false],
    [100, 5, false],
    [100, 6, true],
    [10_000, 500, false],
    [10_000, 501, true],
    [0, 0, false],
  ])('spec 3-marketing §6.4 of %d checked %d invalid: %s', (checked, invalid, isHeld) =>
    expect(mayBounceTooMuch({ checked, invalid })).toBe(isHeld),
  );
});
