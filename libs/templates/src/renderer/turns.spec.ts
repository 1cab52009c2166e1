import { expect, it } from 'vitest';
import { Turns } from './turns.js';

const takeAll = (turns: Turns<string>) => Array.from({ length: turns.size }, () => turns.take());

it('lets keys take turns, each in its own order', () => {
  const turns = new Turns<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) turns.add(item[0]!, item);
  expect([turns.size, turns.sizeOf('a'), turns.sizeOf('x')]).toEqual([6, 3, 0]);
  expect(takeAll(turns)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect([turns.take(), turns.size, turns.sizeOf('a')]).toEqual([undefined, 0, 0]);
});

it('gives what is put back before all else of its key, after the turns of others', () => {
  const turns = new Turns<string>();
  for (const item of ['a1', 'a2', 'b1']) turns.add(item[0]!, item);
  const begun = turns.take()!;
  turns.putBack('a', begun);
  expect(takeAll(turns)).toEqual(['b1', 'a1', 'a2']);
  turns.putBack('a', begun);
  turns.add('b', 'b1');
  expect(takeAll(turns)).toEqual(['a1', 'b1']);
});
