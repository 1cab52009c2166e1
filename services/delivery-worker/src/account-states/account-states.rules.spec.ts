import { describe, expect, it } from 'vitest';
import { MessageAccepted, newestPerAccount, newId } from '@postmesh/contracts';
import { sortByAccount } from '../intake/deliveries.rules.js';
import { holdReason } from './account-states.rules.js';

describe('the state of an account', () => {
  it.each([
    ['suspended', 'the account is suspended'],
    ['parent-suspended', 'the parent account is suspended'],
    ['blocked', 'the account is blocked by the operator'],
    ['active', undefined],
    ['deleted', undefined],
    [null, undefined],
  ])('%s holds deliveries: %s', (state, reason) => expect(holdReason(state)).toBe(reason));

  it('is the newest of several, whatever their order', () => {
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

describe('what is taken in', () => {
  const [example] = MessageAccepted.examples;
  const accepted_at = '2026-01-05T08:00:00.000Z';
  const of = (account_id: string, change: Partial<typeof example> = {}) =>
    MessageAccepted.make({ ...example!, accepted_at, ...change }, { account_id });
  const [fine, paused, gone] = [newId(), newId(), newId()];
  const states = new Map([
    [paused, 'blocked'],
    [gone, 'deleted'],
  ]);

  it('waits, is held or is left out, as the account may send, may not, or is gone', () => {
    const sorted = sortByAccount([of(fine), of(paused), of(gone)], states, 86_400);
    expect(sorted.events.map(({ account_id }) => account_id)).toEqual([fine, paused]);
    expect(sorted.waiting).toHaveLength(1);
    expect(sorted.held).toMatchObject([
      {
        accountId: paused,
        reason: 'the account is blocked by the operator',
        dueAt: accepted_at,
        until: new Date('2026-01-06T08:00:00.000Z'),
      },
    ]);
  });

  it.each([
    ['a day after its time', { first_attempt: '2026-01-06T08:00:00.000Z' }, '2026-01-07T08:00:00.000Z'],
    ['when it expires', { expires: '2026-01-05T09:00:00.000Z' }, '2026-01-05T09:00:00.000Z'],
    ['no later than a day', { expires: '2026-01-12T08:00:00.000Z' }, '2026-01-06T08:00:00.000Z'],
  ])('and held ends %s', (_, change, until) => {
    const { held } = sortByAccount([of(paused, change)], states, 86_400);
    expect(held[0]!.until).toEqual(new Date(until));
  });
});
