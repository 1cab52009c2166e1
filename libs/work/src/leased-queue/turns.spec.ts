import { describe, expect, it } from 'vitest';
import { BULK, SINGLE } from './leased-table.js';
import { Turns, type ClaimedTurn } from './turns.js';

const row = (change: Partial<ClaimedTurn> = {}): ClaimedTurn => ({
  accountId: 'ann',
  key: 'town',
  lane: SINGLE,
  groupNth: 1,
  accountNth: 1,
  ...change,
});

describe('the turn', () => {
  it('of accounts continues behind the last one of each group and lane', () => {
    const turns = new Turns();
    const rows = [
      row({ accountNth: 2, accountId: 'bob' }),
      row(),
      row({ lane: BULK }),
      row({ key: 'village', accountId: 'eve' }),
    ];
    turns.claimed(rows, 'village', false);
    expect(turns.cursorOf('town')).toEqual({ single: 'bob', bulk: 'ann' });
    expect(turns.cursorOf('village')).toEqual({ single: 'eve', bulk: null });
    expect(turns.cursorOf('else')).toEqual({ single: null, bulk: null });
    expect(turns.cursorGroups()).toEqual(['town', 'village']);
  });

  it.each([
    ['behind the last that was looked at', [row({ groupNth: 2, key: 'b' })], 'z', false, 'z'],
    [
      'behind the last that got something when a claim is full',
      [row({ groupNth: 2, key: 'b' }), row()],
      'z',
      true,
      'b',
    ],
    ['on, where only groups out of turn got something', [row({ groupNth: 0 })], 'z', true, 'z'],
    ['at the beginning when there is none', [], null, false, ''],
  ])('of groups continues %s', (_, rows, lastGroup, isFull, after) => {
    const turns = new Turns();
    turns.claimed(rows, lastGroup, isFull);
    expect(turns.afterGroup).toBe(after);
  });

  it('of lanes goes round by nine claims', () => {
    const turns = new Turns();
    const seen = Array.from({ length: 10 }, () => {
      turns.claimed([], null, false);
      return turns.lanes;
    });
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 0, 1]);
  });
});

describe('groups where something new waits', () => {
  it('are visited until a row of the account was claimed there, or for some seconds', () => {
    const turns = new Turns();
    turns.came('ann', 'town', 1_000);
    turns.came('ann', 'village', 4_000);
    turns.came('bob', 'town', 4_000);
    expect(turns.freshGroups(4_000)).toEqual(['town', 'village', 'town']);
    turns.claimed([row()], null, false);
    expect(turns.freshGroups(4_000)).toEqual(['village', 'town']);
    expect(turns.freshGroups(9_001)).toEqual([]);
  });

  it('are bounded for each account: one that comes to thousands hides no other', () => {
    const turns = new Turns();
    turns.came('bob', 'town', 0);
    for (let nth = 0; nth < 10_000; nth++) turns.came('ann', `g${nth}`, 0);
    const groups = turns.freshGroups(0);
    expect(groups).toHaveLength(51);
    expect(groups).toContain('town');
    expect(groups).toContain('g9999');
  });
});
