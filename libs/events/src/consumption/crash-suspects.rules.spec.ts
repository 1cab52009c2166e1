import { describe, expect, test } from 'vitest';
import { isSetAside, slicesByCrashes, waitBeforeMs } from './crash-suspects.rules.js';

/** `0*3 1` is three events without a crash and one that has seen one. */
const crashesOf = (text: string): number[] =>
  text.split(' ').flatMap((one) => {
    const [crashes = '', times = '1'] = one.split('*');
    return Array.from({ length: Number(times) }, () => Number(crashes));
  });

describe('what is in flight together after crashes', () => {
  test.each([
    { batch: '0*500', slices: '0*500' },
    { batch: '1*60', slices: '1*25 1*25 1*10' },
    { batch: '2*3', slices: '2*1 2*1 2*1' },
    { batch: '0*2 1*2 0 2 2 5 0*2', slices: '0*2 1*2 0*1 2*1 2*1 5*1 0*2' },
  ])('of $batch: $slices', ({ batch, slices }) => {
    const cut = slicesByCrashes(crashesOf(batch), (crashes) => crashes);
    expect(cut.map(({ events, crashes }) => `${crashes}*${events.length}`).join(' ')).toBe(slices);
  });

  test('is set aside after five crashes, three of them alone', () => {
    expect([0, 4, 5, 6].map(isSetAside)).toEqual([false, false, true, true]);
    const alone = [0, 1, 2, 3, 4].filter((crashes) => slicesByCrashes([0, 0], () => crashes).length === 2);
    expect(alone).toEqual([2, 3, 4]);
  });

  test('waits a moment by chance from the third crash on', () => {
    expect([0, 2, 3, 4].map((crashes) => waitBeforeMs(crashes, 0.5))).toEqual([0, 0, 1_000, 1_000]);
  });
});
