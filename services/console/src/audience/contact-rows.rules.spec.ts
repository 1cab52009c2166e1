import { expect, it } from 'vitest';
import { guessTargets, readTable } from '../imports/file-table.rules';
import { KNOWN, mapRows, newAttributes } from './contact-rows.rules';

const REASONS = { noAddress: 'none', badAddress: 'bad', repeated: 'repeated' };
const read = (text: string) => readTable(text, 'bad');

it('knows the names of the fields of a contact', () => {
  expect(guessTargets(['E-Mail', 'First name', 'Surname', 'Shoe size'], KNOWN)).toEqual([
    'email',
    'first_name',
    'last_name',
    'skip',
  ]);
});

it('says of each row whether it would be sent, by its line in the file', () => {
  const table = read('email,first name,size\na@b.test,Ann,38\n,Bob,\nnope,Cy,\nA@B.test,Di,');
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
  const table = read('email,size,vip,city\na@b.test,38,TRUE,Rome\nc@d.test,big,yes,');
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
