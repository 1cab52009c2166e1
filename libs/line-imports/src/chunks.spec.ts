import { describe, expect, it } from 'vitest';
import { chunksOf } from './chunks.js';
import type { Delimiter } from './csv.js';
import type { FileLine } from './file-lines.js';

const LIMITS = { lines: 10_000, lineBytes: 4_096, chunkLines: 500 };

async function chunksFrom(delimiter: Delimiter | undefined, ...given: (string | FileLine)[][]) {
  const lines = (async function* () {
    for (const some of given) yield some.map((line) => (typeof line === 'string' ? { text: line } : line));
  })();
  const all = [];
  for await (const chunk of chunksOf(lines, delimiter, LIMITS)) all.push(chunk);
  return all;
}
const chunked = async (...given: string[][]) =>
  (await chunksFrom(',', ...given)).map(({ first, lines }) => [first, lines.length]);

describe('chunks', () => {
  it('have up to 500 lines, and up to 128 KiB plus one line', async () => {
    const some = Array<string>(700).fill('x');
    expect(await chunked(some, [], some)).toEqual([
      [0, 500],
      [500, 500],
      [1_000, 400],
    ]);
    expect(await chunked(Array<string>(50).fill('x'.repeat(4_000)))).toEqual([
      [0, 33],
      [33, 17],
    ]);
    expect(await chunked()).toEqual([]);
  });

  it('keep the lines of a record together, even after a quote that is never closed', async () => {
    const begun = ['"never closed,', ...Array<string>(498).fill('x')];
    expect(await chunked([...begun, 'a,"b', 'c",d', 'y'])).toEqual([
      [0, 501],
      [501, 1],
    ]);
    expect(await chunked(begun, ['a,"b'], ['c",d'], ['y'])).toEqual([
      [0, 501],
      [501, 1],
    ]);
  });

  it('have commas as delimiters for every file, and the same number of lines', async () => {
    const [chunk] = await chunksFrom(';', ['a;"b;', 'c";"d ""e"""', '1,5; x;', 'a;"b', 'a "b";c']);
    expect(chunk?.lines).toEqual(['a,"b;', 'c","d ""e"""', '"1,5"," x",', 'a;"b', 'a "b";c']);
  });

  it('leave out the records that contain an unreadable line', async () => {
    const bad = { text: 'b"', problem: 'why' };
    expect(await chunksFrom(',', ['x', 'a,"b', bad, 'y'])).toEqual([
      { first: 0, lines: ['x', '', '', 'y'], problems: [{ line: 2, text: 'b"', reason: 'why' }] },
    ]);
    expect(await chunksFrom(undefined, ['"x', bad])).toMatchObject([{ lines: ['"x', ''] }]);
  });

  it('end at exactly the limit of lines', async () => {
    const all = Array<string[]>(10).fill(Array<string>(LIMITS.lines / 10).fill(''));
    expect((await chunked(...all)).at(-1)).toEqual([LIMITS.lines - 500, 500]);
    await expect(chunked(...all, [''])).rejects.toThrow('at most 10000 lines');
  });
});
