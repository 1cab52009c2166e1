import { expect, it } from 'vitest';
import { guessTargets, readTable } from '../imports/file-table.rules';
import { KNOWN, mapRows, timeOf, type Target } from './suppression-rows.rules';

const REASONS = { noAddress: 'none', badAddress: 'bad', repeatedSuppression: 'repeated', badTime: 'time' };
const mapped = (text: string, defaults = { domain: '', reason: '' }) => {
  const table = readTable(text, 'json');
  return mapRows(table, guessTargets<Target>(table.columns, KNOWN), defaults, REASONS);
};

it.each([
  [['email', 'domain', 'reason', 'created_at', 'expires_at']],
  [['E-Mail', 'Sending domain', 'type', 'created', 'until']],
  [['Recipient', 'from_domain', 'Suppression Reason', 'timestamp', 'expiry date']],
])('knows the columns of %j', (columns) => {
  expect(guessTargets(columns, KNOWN)).toEqual(['email', 'domain', 'reason', 'created_at', 'expires_at']);
});

it('says of each row what is sent, or why it is not', () => {
  const text = [
    'email,domain,reason,created_at,color',
    'a@b.test,,,2024-05-06,red',
    'A@b.test,shop.test,Asked,,',
    'a@B.test,SHOP.test,,,',
    ',,,,',
    'nope,,,,',
    'c@d.test,,,yesterday,',
  ].join('\n');
  expect(mapped(text, { domain: '', reason: ' List of 2024 ' })).toEqual({
    good: [
      {
        line: 2,
        entry: { email: 'a@b.test', reason: 'List of 2024', created_at: '2024-05-06T00:00:00.000Z' },
      },
      { line: 3, entry: { email: 'A@b.test', domain: 'shop.test', reason: 'Asked' } },
    ],
    rejected: [
      { line: 4, email: 'a@B.test', reason: 'repeated' },
      { line: 6, email: 'nope', reason: 'bad' },
      { line: 7, email: 'c@d.test', reason: 'time' },
    ],
  });
  expect(mapped('{"email":"a@b.test"}\nx', { domain: 'shop.test', reason: '' })).toEqual({
    good: [{ line: 1, entry: { email: 'a@b.test', domain: 'shop.test' } }],
    rejected: [{ line: 2, email: '', reason: 'json' }],
  });
});

it.each([
  ['', undefined],
  ['2024-05-06T07:08:09+02:00', '2024-05-06T05:08:09.000Z'],
  ['2024-05-06 07:08:09', '2024-05-06T07:08:09.000Z'],
  ['2024-05-06 07:08:09 UTC', '2024-05-06T07:08:09.000Z'],
  ['1443651141', '2015-09-30T22:12:21.000Z'],
  ['1443651141000', '2015-09-30T22:12:21.000Z'],
  ['Fri, 21 Oct 2011 11:02:55 UTC', '2011-10-21T11:02:55.000Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ['05/06/2024', null],
  ['2024-13-01', null],
])('reads the time %j as %j', (text, expected) => {
  expect(timeOf(text)).toBe(expected);
});
