import { describe, expect, it } from 'vitest';
import { MessageAccepted } from '@postmesh/messages-contract';
import { newestPerAccount } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { toDeliveries } from '../intake/deliveries.rules.js';
import { suspensionReason } from './account-states.rules.js';

describe('the state of an account', () => {
  it.each([
    ['suspended', 'the account is suspended'],
    ['parent-suspended', 'the parent account is suspended'],
    ['blocked', 'the account is blocked by the operator'],
    ['active', undefined],
    ['deleted', undefined],
    [null, undefined],
  ])('%s suspends deliveries: %s', (state, reason) => expect(suspensionReason(state)).toBe(reason));

  it('is the newest of several, in any order', () => {
    const fact = (account_id: string, revision: number) => ({
      ...{ account_id, revision },
      state: 'active' as const,
    });
    expect(newestPerAccount([fact('a', 2), fact('b', 1), fact('a', 1)])).toEqual([
      fact('a', 2),
      fact('b', 1),
    ]);
  });
});

describe('the recorded state', () => {
  const [example] = MessageAccepted.examples;
  const accepted_at = '2026-01-05T08:00:00.000Z';
  const of = (account_id: string, change: Partial<typeof example> = {}) =>
    MessageAccepted.make({ ...example!, accepted_at, ...change }, { account_id });
  const [fine, paused] = [newId(), newId()];

  it('waits, is suspended or is left out, as the account may send, may not, or is gone', () => {
    expect(toDeliveries(of(fine), undefined, 86_400)).toMatchObject([
      { accountId: fine, columns: { suspended_until: null } },
    ]);
    expect(toDeliveries(of(newId()), 'deleted', 86_400)).toEqual([]);
    expect(toDeliveries(of(paused), 'blocked', 86_400)).toMatchObject([
      {
        accountId: paused,
        state: 'suspended',
        reason: 'the account is blocked by the operator',
        dueAt: new Date(accepted_at),
        columns: { suspended_until: new Date('2026-01-06T08:00:00.000Z') },
      },
    ]);
  });

  it.each([
    ['a day after its time', { first_attempt: '2026-01-06T08:00:00.000Z' }, '2026-01-07T08:00:00.000Z'],
    ['when it expires', { expires: '2026-01-05T09:00:00.000Z' }, '2026-01-05T09:00:00.000Z'],
    ['no later than a day', { expires: '2026-01-12T08:00:00.000Z' }, '2026-01-06T08:00:00.000Z'],
  ])('and suspended ends %s', (_, change, until) => {
    const [delivery] = toDeliveries(of(paused, change), 'blocked', 86_400);
    expect(delivery!.columns['suspended_until']).toEqual(new Date(until));
  });
});
