import { describe, expect, it } from 'vitest';
import { changeMembership, newMembership, type MembershipState } from './membership.rules.js';

const now = new Date('2026-05-01T10:00:00Z');
const before = new Date('2026-04-01T10:00:00Z');
const state = (
  subscription_status: MembershipState['subscription_status'],
  subscribed_at: Date | null = null,
  unsubscribed_at: Date | null = null,
): MembershipState => ({ subscription_status, subscribed_at, unsubscribed_at });

describe('spec 3-marketing §2.4 transitions of a membership', () => {
  it.each([
    [undefined, state('confirmed', now)],
    ['confirmed', state('confirmed', now)],
    ['unconfirmed', state('unconfirmed')],
    ['unsubscribed', state('unsubscribed', null, now)],
  ] as const)('none → %s', (status, made) => expect(newMembership(status, now)).toEqual(made));

  it.each([
    [state('unconfirmed'), 'confirmed', state('confirmed', now)],
    [state('unsubscribed', before, before), 'confirmed', state('confirmed', now)],
    [state('confirmed', before), 'unsubscribed', state('unsubscribed', before, now)],
    [state('unconfirmed'), 'unsubscribed', state('unsubscribed', null, now)],
    [state('confirmed', before), 'unconfirmed', state('unconfirmed', before)],
    [state('unsubscribed', before, before), 'unconfirmed', state('unconfirmed', before, before)],
  ] as const)('%j → %s', (held, status, made) => expect(changeMembership(held, status, now)).toEqual(made));

  it.each(['confirmed', 'unconfirmed', 'unsubscribed'] as const)(
    '%s stays when nothing else is named',
    (status) => {
      const held = state(status, before, before);
      expect(changeMembership(held, status, now)).toBeUndefined();
      expect(changeMembership(held, undefined, now)).toBeUndefined();
    },
  );

  it('complained → nothing', () => {
    expect(() => changeMembership(state('complained'), 'confirmed', now)).toThrow(RangeError);
  });
});
