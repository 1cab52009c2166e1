import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planRuns } from './runs.rules.js';

interface Fact {
  pattern: string;
  key: string;
  n: number;
}

/** 'accepted:a delivered:a' becomes two facts, numbered in order. */
const facts = (text: string): Fact[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((one, n) => {
      const [pattern = '', key = ''] = one.split(':');
      return { pattern, key, n };
    });
const runsOf = (events: Fact[]) => planRuns(events, (event) => event);
const show = (text: string) =>
  runsOf(facts(text)).map((run) => `${run.pattern}[${run.events.map(({ n }) => n).join()}]`);

describe('runs of one pattern', () => {
  test.each([
    { batch: '', runs: [] },
    { batch: 'a:1 a:2 a:1', runs: ['a[0,1,2]'] },
    { batch: 'a:1 b:2 a:3 b:4', runs: ['a[0,2]', 'b[1,3]'] },
    { batch: 'a:1 b:1 a:1', runs: ['a[0]', 'b[1]', 'a[2]'] },
    { batch: 'a:1 b:1 a:2', runs: ['a[0,2]', 'b[1]'] },
    { batch: 'a:1 b:1 c:2 b:3', runs: ['a[0]', 'b[1,3]', 'c[2]'] },
    { batch: 'b:1 a:1 b:2 a:2 b:1', runs: ['b[0,2]', 'a[1,3]', 'b[4]'] },
  ])('$batch', ({ batch, runs }) => {
    expect(show(batch)).toEqual(runs);
  });

  test('no event is lost or doubled, runs are of one pattern, and every key keeps its order', () => {
    const fact = fc.record({
      pattern: fc.constantFrom('a', 'b', 'c'),
      key: fc.constantFrom('1', '2', '3', '4'),
    });
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 60 }), (drawn) => {
        const events = drawn.map((one, n) => ({ ...one, n }));
        const runs = runsOf(events);
        const handled = runs.flatMap((run) => run.events);
        expect(handled.map(({ n }) => n).sort((x, y) => x - y)).toEqual(events.map(({ n }) => n));
        expect(runs.every((run) => run.events.every(({ pattern }) => pattern === run.pattern))).toBe(true);
        for (const key of ['1', '2', '3', '4']) {
          const order = handled.filter((event) => event.key === key).map(({ n }) => n);
          expect(order).toEqual([...order].sort((x, y) => x - y));
        }
      }),
    );
  });
});
