import { describe, expect, it } from 'vitest';
import { readLines } from './file-lines.js';

const LIMITS = { bytes: 2_000_000, lineBytes: 4_096 };

async function* parts(...given: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of given) yield Buffer.from(part);
}
async function linesOf(charset: string | undefined, ...given: (string | Buffer)[]) {
  const all = [];
  for await (const some of readLines(parts(...given), LIMITS, charset)) all.push(...some);
  return all;
}
const textsOf = async (...given: (string | Buffer)[]) =>
  (await linesOf(undefined, ...given)).map(({ text, problem }) => problem ?? text);
/** one part per byte */
const bytewise = (bytes: Buffer) => Array.from(bytes, (byte) => Buffer.from([byte]));

describe('the lines of a file', () => {
  it.each([
    ['in one part', ['a\nb\n']],
    ['without a last line break', ['a\nb']],
    ['with carriage returns', ['a\r\nb\r\n']],
    ['cut anywhere', ['a', '\r', '\n', 'b']],
    ['behind a byte order mark', ['\ufeffa\nb']],
    ['behind one that is cut', bytewise(Buffer.from('\ufeffa\nb'))],
  ])('%s', async (_how, given) => {
    expect(await textsOf(...given)).toEqual(['a', 'b']);
  });

  it('keep blank lines and characters that are split over two parts', async () => {
    const word = Buffer.from('é\n\n€');
    expect(await textsOf(word.subarray(0, 1), word.subarray(1, 6), word.subarray(6))).toEqual(['é', '', '€']);
    expect(await textsOf()).toEqual([]);
  });

  it('are cut where they are too long', async () => {
    const long = await textsOf(...Array<string>(100).fill('x'.repeat(1_000)), '\nnext');
    expect([long[0]?.length, long[1]]).toEqual([4_098, 'next']);
    expect((await textsOf(`${'y'.repeat(9_000)}\n`))[0]?.length).toBe(4_098);
    expect((await textsOf(`${'é'.repeat(9_000)}\n`))[0]?.length).toBe(4_098);
  });

  it('end at the limit of bytes', async () => {
    const part = 'x'.repeat(100_000);
    await expect(textsOf(...Array<string>(21).fill(part))).rejects.toThrow('request body is too large');
  });
});

describe('the encoding of a file', () => {
  const text = 'André,Müller\r\n東京,\u0a0a😀\n';
  const lines = ['André,Müller', '東京,\u0a0a😀'].map((one) => ({ text: one }));
  const utf16 = (order: 'le' | 'be', mark = '\ufeff') => {
    const bytes = Buffer.from(mark + text, 'utf16le');
    return order === 'le' ? bytes : bytes.swap16();
  };

  it.each([
    ['UTF-8', undefined, Buffer.from(text)],
    ['UTF-16 by its mark', undefined, utf16('le')],
    ['UTF-16 of the other order by its mark', undefined, utf16('be')],
    ['UTF-16 by its mark, whatever is said', 'windows-1252', utf16('be')],
    ['UTF-16 as declared', 'utf-16le', utf16('le', '')],
    ['UTF-16 of the other byte order as declared', 'UTF-16BE', utf16('be', '')],
  ])('is %s', async (_, charset, bytes) => {
    expect(await linesOf(charset, bytes)).toEqual(lines);
    expect(await linesOf(charset, ...bytewise(bytes))).toEqual(lines);
  });

  it('is any declared one', async () => {
    const latin1 = Buffer.from('André,Müller\n', 'latin1');
    expect(await linesOf('ISO-8859-1', latin1)).toEqual(lines.slice(0, 1));
    expect(await linesOf('windows-1252', Buffer.from([0x80, 0x0a]))).toEqual([{ text: '€' }]);
    expect(await linesOf('Shift_JIS', Buffer.from([0x93, 0x8c, 0x8b, 0x9e]))).toEqual([{ text: '東京' }]);
    await expect(linesOf('klingon', latin1)).rejects.toThrow("unknown encoding 'klingon'");
  });

  it('that bytes violate is a problem of their line only, and never becomes U+FFFD', async () => {
    const mixed = Buffer.concat([Buffer.from('a,é\nb,'), Buffer.from([0xe9]), Buffer.from('\nc,\ufffd\n')]);
    expect(await linesOf(undefined, mixed)).toEqual([
      { text: 'a,é' },
      { text: 'b,é', problem: expect.stringContaining('not in UTF-8: save the file in UTF-8, or send') },
      { text: 'c,\ufffd' },
    ]);
    expect(
      (await linesOf('Shift_JIS', Buffer.from([0x93, 0x0a, 0x61]))).map(({ problem }) => problem),
    ).toEqual(['the line is not in shift_jis', undefined]);
    const half = Buffer.from('\ufeffa\n\ud83d\nb', 'utf16le');
    expect(
      (await linesOf(undefined, Buffer.concat([half, Buffer.from([0])]))).map(({ problem }) => problem),
    ).toEqual([undefined, 'the line is not in utf-16le', 'the line is not in utf-16le']);
    expect(await textsOf('a\0b\n')).toEqual(['the line holds a NUL character']);
  });
});
