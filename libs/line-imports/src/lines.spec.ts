import { describe, expect, it } from 'vitest';
import { chunksOf, readLines } from './lines.js';

const LIMITS = { bytes: 200_000_000, lines: 1_000_000, lineBytes: 4_096, chunkLines: 500 };

async function* parts(...given: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of given) yield Buffer.from(part);
}
async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
const linesOf = async (...given: (string | Buffer)[]) =>
  (await collect(readLines(parts(...given), LIMITS))).flat();

describe('the lines of a stream', () => {
  it.each([
    ['in one part', ['a\nb\n']],
    ['without a last line break', ['a\nb']],
    ['with carriage returns', ['a\r\nb\r\n']],
    ['cut anywhere', ['a', '\r', '\n', 'b']],
  ])('%s', async (_how, given) => {
    expect(await linesOf(...given)).toEqual(['a', 'b']);
  });

  it('keep what stands between: blank ones, characters that parts cut in two', async () => {
    const word = Buffer.from('é\n\n€');
    expect(await linesOf(word.subarray(0, 1), word.subarray(1, 6), word.subarray(6))).toEqual(['é', '', '€']);
    expect(await linesOf('a\0b\n')).toEqual(['a\ufffdb']);
    expect(await linesOf()).toEqual([]);
  });

  it('are cut where they are too long', async () => {
    const long = await linesOf(...Array<string>(100).fill('x'.repeat(1_000)), '\nnext');
    expect([long[0]?.length, long[1]]).toEqual([4_098, 'next']);
    expect((await linesOf(`${'y'.repeat(9_000)}\n`))[0]?.length).toBe(4_098);
  });

  it('end at the limit of bytes', async () => {
    const part = 'x'.repeat(10_000_000);
    await expect(linesOf(...Array<string>(21).fill(part))).rejects.toThrow('request body is too large');
  });
});

describe('chunks', () => {
  const chunked = async (...given: string[][]) => {
    const lines = (async function* () {
      yield* given;
    })();
    return (await collect(chunksOf(lines, LIMITS))).map(({ first, lines: some }) => [first, some.length]);
  };

  it('have up to 500 lines, and up to 128 KiB and a line', async () => {
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

  it('keep the lines of a quoted field together, unless the quote is never closed', async () => {
    const begun = Array<string>(499).fill('x');
    expect(await chunked([...begun, 'a,"b', 'c",d', 'y'])).toEqual([
      [0, 501],
      [501, 1],
    ]);
    expect(await chunked([...begun, 'a,"b', ...Array<string>(1_000).fill('z')])).toEqual([
      [0, 1_000],
      [1_000, 500],
    ]);
  });

  it('end at exactly the limit of lines', async () => {
    const all = Array<string[]>(10).fill(Array<string>(LIMITS.lines / 10).fill(''));
    expect((await chunked(...all)).at(-1)).toEqual([LIMITS.lines - 500, 500]);
    await expect(chunked(...all, [''])).rejects.toThrow('at most 1000000 lines');
  });
});
