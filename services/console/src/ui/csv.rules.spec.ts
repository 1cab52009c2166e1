import { expect, it, vi } from 'vitest';
import { csvOf, MOST_ROWS, writePages, type CsvPage } from './csv.rules';

it.each([
  ['ann@mail.test', 'ann@mail.test'],
  ['=cmd|"/c calc"!A1', `"'=cmd|""/c calc""!A1"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@sum', "'@sum"],
  ['\t=1', "'\t=1"],
  ['a,b', '"a,b"'],
  ['two\nlines', '"two\nlines"'],
])('the cell %j is written so that no spreadsheet runs it', (value, written) =>
  expect(csvOf([[value, 'x']])).toBe(`${written},x\r\n`),
);

const written = async (
  fetchPage: (after: string | undefined) => Promise<CsvPage>,
  signal = new AbortController().signal,
) => {
  const texts: string[] = [];
  const progress = vi.fn();
  const end = writePages({ head: ['email'], fetchPage, write: (text) => texts.push(text), progress, signal });
  return { ...(await end), text: texts.join(''), progress: progress.mock.calls.flat() };
};

it('an export has every page, and says how far it is', async () => {
  const pages: Record<string, CsvPage> = {
    '': { rows: [['a@b.test'], ['c@d.test']], next: '2' },
    '2': { rows: [['e@f.test']], next: undefined },
  };
  expect(await written(async (after) => pages[after ?? '']!)).toEqual({
    rows: 3,
    isCut: false,
    text: 'email\r\na@b.test\r\nc@d.test\r\ne@f.test\r\n',
    progress: [2, 3],
  });
});

it('an export ends at the rows that a file may have, and says so', async () => {
  const rows = Array.from({ length: MOST_ROWS / 2 }, () => ['x']);
  let count = 0;
  const { isCut } = await written(async () => ({ rows, next: String((count += 1)) }));
  expect([isCut, count]).toEqual([true, 2]);
});

it('an export that is given up asks for no further page', async () => {
  const stop = new AbortController();
  const fetchPage = vi.fn(async () => {
    stop.abort(new Error('given up'));
    return { rows: [], next: '2' };
  });
  await expect(written(fetchPage, stop.signal)).rejects.toThrow('given up');
  expect(fetchPage).toHaveBeenCalledTimes(1);
});
