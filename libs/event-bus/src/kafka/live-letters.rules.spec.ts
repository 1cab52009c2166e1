import { expect, test } from 'vitest';
import { LiveLetters } from './live-letters.rules.js';

/** '+a' brings the letter a, '-a' takes it away. */
function fold(records: string, room: number): LiveLetters {
  const live = new LiveLetters(room);
  records
    .split(' ')
    .filter(Boolean)
    .forEach((record, offset) => live.add(record.slice(1), BigInt(offset), record.startsWith('+')));
  return live;
}

test.each([
  { records: '', room: 9, letters: '', unseen: undefined },
  { records: '+a +b +c', room: 9, letters: 'a0 b1 c2', unseen: undefined },
  { records: '+a +b -a', room: 9, letters: 'b1', unseen: undefined },
  { records: '+a +b +a', room: 9, letters: 'a0 b1', unseen: undefined },
  { records: '+a -a +b +a', room: 9, letters: 'b2 a3', unseen: undefined },
  { records: '-z +a', room: 9, letters: 'a1', unseen: undefined },
  { records: '+a +b +c +d', room: 2, letters: 'a0 b1', unseen: 2n },
  { records: '+a +b +c -a -b +d', room: 2, letters: '', unseen: 2n },
])('$records with room for $room leaves [$letters]', ({ records, room, letters, unseen }) => {
  const live = fold(records, room);
  expect(
    live
      .letters()
      .map(({ key, offset }) => `${key}${offset}`)
      .join(' '),
  ).toBe(letters);
  expect(live.unseenFrom()).toBe(unseen);
});
