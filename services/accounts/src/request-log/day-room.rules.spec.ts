import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayRoom } from './day-room.rules.js';

describe('the room of a day in the request log', () => {
  it.each([
    [0, 0, 500],
    [500, 0, 0],
    [500, 0.5, 250],
    [0, 0.5, 750],
    [750, 0.51, 5],
    [1_000, 1, 0],
    // after a lower setting
    [2_000, 0.5, 0],
  ])('with %i rows after %d of it is %i', (stored, passed, room) => {
    expect(dayRoom({ perDay: 1_000, stored, passed })).toBe(room);
  });

  it('never gives more than the rows of a day, and the last ones only at its end', () => {
    const times = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 5_000 }), times, (perDay, given) => {
        let stored = 0;
        for (const passed of given.toSorted((a, b) => a - b)) {
          stored += dayRoom({ perDay, stored, passed });
          expect(stored).toBeLessThanOrEqual(Math.ceil((perDay * (1 + passed)) / 2));
        }
        expect(stored).toBeGreaterThanOrEqual(Math.floor(perDay / 2));
      }),
    );
  });
});
