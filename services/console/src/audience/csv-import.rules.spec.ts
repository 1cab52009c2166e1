import { expect, it } from 'vitest';
import { guessTargets, mapRows, newAttributes, parseCsv } from './csv-import.rules';

const REASONS = { noAddress: 'none', badAddress: 'bad', repeated: 'repeated' };

it('reads quotes, line breaks in values, a byte order mark, and other separators', () => {
  expect(parseCsv('\uFEFFemail,note\r\n"a@b.test","says ""hi""\nthere"\r\n')).toEqual({
    columns: ['email', 'note'],
    rows: [['a@b.test', 'says "hi"\nthere']],
  });
  expect(parseCsv('email;name\na@b.test;A, B').rows).toEqual([['a@b.test', 'A, B']]);
  expect(parseCsv('email\tname\n\na@b.test\tA').rows).toEqual([['a@b.test', 'A']]);
});

it('guesses what columns are, each field once, and leaves out what it does not know', () => {
  expect(guessTargets(['E-Mail', 'First name', 'Surname', 'Shoe size', 'email', ''])).toEqual([
    'email',
    'first_name',
    'last_name',
    'skip',
    'skip',
    'skip',
  ]);
});

it('says of each row whether it would be sent, by its line in the file', () => {
  const table = parseCsv('email,first name,size\na@b.test,Ann,38\n,Bob,\nnope,Cy,\nA@B.test,Di,');
  expect(mapRows(table, ['email', 'first_name', 'attribute:size'], new Map(), REASONS)).toEqual({
    good: [{ line: 2, contact: { email: 'a@b.test', first_name: 'Ann', attributes: { size: '38' } } }],
    rejected: [
      { line: 3, email: '', reason: 'none' },
      { line: 4, email: 'nope', reason: 'bad' },
      { line: 5, email: 'A@B.test', reason: 'repeated' },
    ],
  });
});

it('gives attributes the values of their types, and names those that are new', () => {
  const table = parseCsv('email,size,vip,city\na@b.test,38,TRUE,Rome\nc@d.test,big,yes,');
  const targets = ['email', 'attribute:size', 'attribute:vip', 'attribute:city'] as const;
  const types = new Map([
    ['size', 'number'],
    ['vip', 'boolean'],
  ]);
  expect(mapRows(table, targets, types, REASONS).good.map(({ contact }) => contact.attributes)).toEqual([
    { size: 38, vip: true, city: 'Rome' },
    // the server rejects what is no value of the type
    { size: 'big', vip: 'yes' },
  ]);
  expect(newAttributes(targets, types)).toEqual(['city']);
});
