import { describe, expect, it } from 'vitest';
import { DestinationRooms } from './destination-rooms.js';

const PLACES = 200;

/** Destinations with endless backlogs, each ending one attempt a turn and then taking whatever it may. */
function sharesOf(destinations: readonly string[]): number[] {
  const rooms = new DestinationRooms(80);
  const taken = new Map(destinations.map((name) => [name, 0]));
  const free = () => PLACES - [...taken.values()].reduce((sum, one) => sum + one, 0);
  for (let turn = 0; turn < 500; turn++) {
    for (const name of destinations) {
      const before = taken.get(name) ?? 0;
      if (before > 0) rooms.free(name);
      taken.set(name, Math.max(0, before - 1));
      const now = rooms.rooms(free());
      const at = now.destinations.indexOf(name);
      const room = at < 0 ? now.others : (now.rooms[at] ?? 0);
      for (let nth = 0; nth < room; nth++) rooms.take(name);
      taken.set(name, (taken.get(name) ?? 0) + room);
    }
  }
  return [...taken.values()];
}

describe('places of a worker', () => {
  it('go to one destination up to its bound', () => {
    expect(sharesOf(['slow.test'])).toEqual([80]);
  });

  it.each([2, 3, 5, 10])('are shared by %i slow destinations, and as many stay free as one has', (count) => {
    const shares = sharesOf(Array.from({ length: count }, (_, nth) => `slow${nth}.test`));
    const fair = PLACES / (count + 1);
    for (const share of shares) expect(Math.abs(share - fair)).toBeLessThan(fair / 2);
    expect(PLACES - shares.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(fair / 2);
  });

  it('are never refused to a destination that has none while one is free', () => {
    expect([200, 2, 1, 0].map((free) => new DestinationRooms(80).rooms(free).others)).toEqual([80, 1, 1, 0]);
  });

  it('are given back', () => {
    const rooms = new DestinationRooms(10);
    rooms.take('a.test');
    rooms.take('a.test');
    rooms.take('b.test');
    expect(rooms.rooms(197)).toEqual({ destinations: ['a.test', 'b.test'], rooms: [8, 9], others: 10 });
    rooms.free('a.test');
    rooms.free('b.test');
    expect(rooms.rooms(199)).toEqual({ destinations: ['a.test'], rooms: [9], others: 10 });
  });
});
