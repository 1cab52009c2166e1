import { describe, expect, it } from 'vitest';
import { BULK, constantRooms, SINGLE, type Lane } from './leased-table.js';
import { Places } from './places.js';

const row = (accountId: string, key: string, lane: Lane = SINGLE) => ({ accountId, key, lane });

/** Occupies as many as fit. */
function fill(places: Places, rowOf: (nth: number) => ReturnType<typeof row>): number {
  let taken = 0;
  while (taken < 1_000 && places.tryOccupy(rowOf(taken), 1_000)) taken++;
  return taken;
}

describe('places', () => {
  it.each([
    ['an account with singles', 150, (nth: number) => row('ann', `g${nth}`)],
    ['an account with bulk, a tenth staying for singles', 135, (nth: number) => row('ann', `g${nth}`, BULK)],
    ['a group, of one account', 60, () => row('ann', 'town')],
    ['a group, of many accounts', 80, (nth: number) => row(`a${nth}`, 'town')],
    ['bulk of many accounts and groups', 180, (nth: number) => row(`a${nth}`, `g${nth}`, BULK)],
    ['all', 200, (nth: number) => row(`a${nth}`, `g${nth}`)],
  ])('are taken by %s up to %i', (_, most, rowOf) => {
    const places = new Places(200, constantRooms(80));
    expect(fill(places, rowOf)).toBe(most);
    expect(places.inUse).toBe(most);
  });

  it('are found by singles of an account that fills its places with bulk', () => {
    const places = new Places(200, constantRooms(80));
    fill(places, (nth) => row('ann', `g${nth}`, BULK));
    expect(places.tryOccupy(row('ann', 'idle', BULK), 1_000)).toBe(false);
    expect(fill(places, (nth) => row('ann', `s${nth}`))).toBe(15);
    expect(fill(places, (nth) => row('bob', `s${nth}`))).toBeGreaterThan(30);
  });

  it.each([
    ['when there is much for everybody', 20, (nth: number) => row(`a${nth}`, `g${nth}`), false],
    ['when a group has all that it may ever have', 8, () => row('ann', 'slow'), false],
    ['when a group has as much as is free', 60, (nth: number) => row(`a${nth}`, 'town'), true],
    ['when an account has three times as much as is free', 75, (nth: number) => row('ann', `g${nth}`), true],
    ['when bulk finds none', 90, (nth: number) => row(`a${nth}`, `g${nth}`), true],
  ])('are narrow: %s', (_, count, rowOf, areNarrow) => {
    const places = new Places(100, constantRooms(80));
    for (let nth = 0; nth < count; nth++) places.occupy(rowOf(nth));
    expect(places.areNarrow).toBe(areNarrow);
  });

  it('are no more than the caller has left', () => {
    expect(new Places(200, constantRooms(80)).tryOccupy(row('ann', 'town'), 0)).toBe(false);
  });

  it('list the groups in flight and those with a limit of their own for a claim', () => {
    const rooms = {
      others: 50,
      entries: () => [['slow', 0] as const],
      of: (key: string) => (key === 'slow' ? 0 : 50),
    };
    const places = new Places(100, rooms);
    places.occupy(row('ann', 'town'));
    places.occupy(row('ann', 'town', BULK));
    expect(places.bounds(98, ['new'], ['before'])).toEqual({
      limit: 98,
      bulkLimit: 88,
      groups: [
        { key: 'slow', room: 0, isVisited: false },
        { key: 'before', room: 49, isVisited: false },
        { key: 'town', room: 48, isVisited: true },
        { key: 'new', room: 49, isVisited: true },
      ],
      otherGroups: 49,
      accounts: [{ id: 'ann', room: 73 }],
      otherAccounts: 74,
      lessForBulk: 8,
      flows: [{ accountId: 'ann', key: 'town', used: 2 }],
    });
    places.vacate(row('ann', 'town'));
    places.vacate(row('ann', 'town', BULK));
    expect(places.bounds(100, [], [])).toMatchObject({ accounts: [], flows: [] });
  });
});
