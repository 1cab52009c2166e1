import { expect, it } from 'vitest';
import { newId } from './ids.js';

const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

it('ids of one millisecond ascend, also after a clock was set back a little', () => {
  const at = Date.now();
  const ids = [newId(at), newId(at), newId(at - 4_000), newId(at)];
  expect(ids).toEqual(ids.toSorted());
});

it('ids follow a clock that was set back by much', () => {
  const at = Date.now();
  newId(at + 86_400_000);
  expect(timeOf(newId(at))).toBe(at);
});
