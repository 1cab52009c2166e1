import { describe, expect, it } from 'vitest';
import { confirmationOf, groupChanges, isLoggedInSince, type GroupRole } from './membership.rules.js';

const ANN = { email: 'ann@shop.example', name: 'Ann', groups: [], loggedInAt: undefined };

describe('groups', () => {
  const TABLE = [
    { group: 'heads', accountId: 'A', role: 'Administrator' },
    { group: 'team', accountId: 'A', role: 'Developer' },
    { group: 'team', accountId: 'B', role: 'Analyst' },
  ] as const;
  const of = (accountId: string, role: GroupRole['role'], isFromGroup = true) => ({
    ...{ accountId, role, isFromGroup },
  });

  it.each([
    [
      'make members, by the first row of an account',
      ['team', 'heads'],
      [],
      [
        ['A', 'Administrator'],
        ['B', 'Analyst'],
      ],
    ],
    ['change roles', ['team'], [of('A', 'Administrator'), of('B', 'Analyst')], [['A', 'Developer']]],
    [
      'take over a membership by invitation, also with the same role',
      ['team'],
      [of('A', 'Developer', false), of('B', 'Analyst')],
      [['A', 'Developer']],
    ],
    [
      'end what came from them',
      [],
      [of('A', 'Developer'), of('B', 'Analyst')],
      [
        ['A', undefined],
        ['B', undefined],
      ],
    ],
    ['leave other memberships', [], [of('A', 'Developer', false), of('C', 'Analyst', false)], []],
    [
      'end a membership whose row is gone from the table',
      ['team'],
      [of('A', 'Developer'), of('B', 'Analyst'), of('Z', 'Analyst')],
      [['Z', undefined]],
    ],
    ['are compared by their whole name', ['tea', 'TEAM'], [], []],
  ] as const)('%s', (_, groups, now, changes) => {
    expect(groupChanges(TABLE, groups, now).map(({ accountId, role }) => [accountId, role])).toEqual(changes);
  });
});

describe('a login at the provider', () => {
  const NOW = new Date('2026-11-27T12:00:00Z');
  const ago = (seconds: number) => ({
    ...ANN,
    loggedInAt: new Date(NOW.getTime() - seconds * 1_000),
  });

  it('counts as a confirmation from its time on, as far as that is known', () => {
    const at = (identity: ReturnType<typeof ago>) => confirmationOf(identity, NOW, 600_000);
    expect(at(ago(60))).toEqual(new Date('2026-11-27T11:59:00Z'));
    expect(at(ago(-60))).toEqual(NOW);
    expect([at(ago(600)), confirmationOf(ANN, NOW, 600_000)]).toEqual([null, null]);
  });

  it('confirms when it is new, or has no time', () => {
    expect([isLoggedInSince(ago(59), NOW), isLoggedInSince(ago(61), NOW)]).toEqual([true, false]);
    expect(isLoggedInSince(ANN, NOW)).toBe(true);
  });
});
