import { expect, it } from 'vitest';
import { newId } from './ids.js';

const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

it('ids of one millisecond ascend, also where a clock is set back a little', () => {
  const at = Date.now();
  const ids = [newId(at), newId(at), newId(at - 4_000), newId(at)];
  expect(ids).toEqual(ids.toSorted());
});

it('a clock that was wrong is followed back', () => {
  const at = Date.now();
  newId(at + 86_400_000);
  expect(timeOf(newId(at))).toBe(at);
});
