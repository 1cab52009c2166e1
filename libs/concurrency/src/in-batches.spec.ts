import { expect, it } from 'vitest';
import { inBatches } from './in-batches.js';

function steps(found: number[]) {
  let taken = 0;
  return { step: async () => found[taken++] ?? 0, taken: () => taken };
}
const running = new AbortController().signal;

it.each([
  ['ends with a batch that is not full', [10, 10, 3, 10], 5, 3, true],
  ['ends with an empty one', [10, 0, 10], 5, 2, true],
  ['goes no further than its limit', [10, 10, 10], 2, 2, false],
  ['without a limit ends when nothing is left', [10, 10, 10, 10, 10, 2, 10], undefined, 6, true],
])('a run of batches %s', async (_, found, max, expected, isDone) => {
  const { step, taken } = steps(found);
  expect(await inBatches(step, { size: 10, ...(max === undefined ? {} : { max }), signal: running })).toBe(
    isDone,
  );
  expect(taken()).toBe(expected);
});

it('a run of batches stops between two of them', async () => {
  const stop = new AbortController();
  const { step, taken } = steps([10, 10, 10]);
  const stopping = async () => {
    if (taken() === 1) stop.abort();
    return step();
  };
  expect(await inBatches(stopping, { size: 10, max: 9, signal: stop.signal })).toBe(false);
  expect(taken()).toBe(2);
});
