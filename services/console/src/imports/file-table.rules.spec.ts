import { expect, it } from 'vitest';
import { guessTargets, readTable } from './file-table.rules';

const read = (text: string) => readTable(text, 'bad');

it('reads quotes, line breaks in values, a byte order mark, and other separators', () => {
  expect(read('\uFEFFemail,note\r\n"a@b.test","says ""hi""\r\nthere"\r\n\r\nc@d.test,\r\n')).toEqual({
    columns: ['email', 'note'],
    rows: [
      ['a@b.test', 'says "hi"\r\nthere'],
      ['c@d.test', ''],
    ],
    lines: [2, 5],
    rejected: [],
  });
  expect(read('email;name\na@b.test;A, B').rows).toEqual([['a@b.test', 'A, B']]);
  expect(read('email\tname\n\na@b.test\tA').rows).toEqual([['a@b.test', 'A']]);
});

it('reads a JSON object per line, and says which lines have none', () => {
  expect(read('\uFEFF{"email":"a@b.test","n":1}\n\n{"email":"c@d.test","more":{"x":null}}\n[1]\n{')).toEqual({
    columns: ['email', 'n', 'more'],
    rows: [
      ['a@b.test', '1', ''],
      ['c@d.test', '', '{"x":null}'],
    ],
    lines: [1, 3],
    rejected: [
      { line: 4, email: '', reason: 'bad' },
      { line: 5, email: '', reason: 'bad' },
    ],
  });
});

it('reads an array of JSON objects, alone or within the response of another service', () => {
  const table = { columns: ['email', 'at'], rows: [['a@b.test', '7']], lines: [1], rejected: [] };
  expect(read('[{"email":"a@b.test","at":7}, null]')).toEqual(table);
  expect(read('{"total":1,"result":[{"email":"a@b.test","at":7}]}')).toEqual(table);
  expect(read('{"data":{"total":1,"results":[{"email":"a@b.test","at":7}]}}')).toEqual(table);
  expect(read('{"total":1}').rows).toEqual([['1']]);
});

it('guesses what columns are, each field once, and leaves out what it does not know', () => {
  const known = [
    [/^e-?mail$/i, 'email'],
    [/name/i, 'name'],
  ] as const;
  expect(guessTargets(['E-Mail', 'First name', 'Size', 'email', ''], known)).toEqual([
    'email',
    'name',
    'skip',
    'skip',
    'skip',
  ]);
});
