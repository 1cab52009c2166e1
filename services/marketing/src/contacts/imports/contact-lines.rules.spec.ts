import { describe, expect, it } from 'vitest';
import type { AttributeTypes } from '../attributes/attribute.rules.js';
import { readContactColumns, readContactLines } from './contact-lines.rules.js';

const types: AttributeTypes = new Map([
  ['plan', 'string'],
  ['score', 'number'],
  ['customer', 'boolean'],
  ['birthday', 'date'],
  ['status', 'string'],
]);
const read = (columns: string, ...lines: string[]) =>
  readContactLines(
    { format: 'csv', columns: readContactColumns(columns, types), types },
    { first: 0, lines },
    0,
  );
const readJson = (...lines: string[]) =>
  readContactLines({ format: 'ndjson', columns: [], types }, { first: 0, lines }, 0);

describe('the columns of a file of contacts', () => {
  it('are fields, attributes by their keys, and further columns of an export', () => {
    expect(readContactColumns('Email,First_Name,score,attributes.status,status,id', types)).toEqual([
      'email',
      'first_name',
      'attributes.score',
      'attributes.status',
      'status',
      'id',
    ]);
    expect(() => readContactColumns('email,age', types)).toThrow(
      /^unknown column 'age': columns are email, .*; the attributes of the account are plan, score, .*; `npx postmesh attributes add age <type> --account <account id>` defines one, of type string, number/,
    );
    expect(() => readContactColumns('email,score,attributes.score', types)).toThrow('twice');
  });
});

describe('a line of contacts', () => {
  it('has the fields of a batch entry; an empty cell is omitted', () => {
    const { entries, errors } = read(
      'email,first_name,last_name,unsubscribed,plan,score,customer,birthday,id',
      ' Ann@Mail.test , Ann ,"O""Neil, Jr",TRUE, gold ,01.50e2,false,2024-02-29,7',
      'bob@mail.test,,,,,,,',
      '',
    );
    expect(errors).toEqual([]);
    expect(entries).toMatchObject([
      {
        email: 'ann@mail.test',
        first_name: 'Ann',
        last_name: 'O"Neil, Jr',
        unsubscribed: true,
        attributes: {
          set: { plan: ' gold ', score: 150, customer: false, birthday: '2024-02-29' },
          remove: [],
        },
      },
      { email: 'bob@mail.test', attributes: { set: {}, remove: [] } },
    ]);
  });

  it('never reverts an unsubscribe', () => {
    expect(read('email,unsubscribed', 'a@mail.test,false').entries[0]?.unsubscribed).toBeUndefined();
    expect(readJson('{"email":"a@mail.test","unsubscribed":false}').entries[0]?.unsubscribed).toBeUndefined();
  });

  it('may have several lines of the file, which are counted as in an editor', () => {
    const { entries, errors, next } = read(
      'email,status_reason,plan',
      'a@mail.test,"two',
      '',
      'lines",x',
      'bad,,',
      'b@mail.test,"never closed,',
      'c@mail.test,,',
    );
    expect(entries.map(({ email, status_reason }) => [email, status_reason])).toEqual([
      ['a@mail.test', 'two\n\nlines'],
      ['c@mail.test', undefined],
    ]);
    expect(errors).toEqual([
      { line: 5, text: 'bad,,', reason: 'email is not a valid email address' },
      {
        line: 6,
        text: 'b@mail.test,"never closed,',
        reason: 'a quote is not closed, or is inside a field',
      },
    ]);
    expect(next).toBe(6);
  });

  it.each([
    ['a@mail.test,many', 'attribute "score" must be a finite number'],
    ['a@mail.test,0x10', 'attribute "score" must be a finite number'],
    ['a@mail.test,1267890123456789012', 'attribute "score" has more digits than a number keeps'],
    ['a@mail.test,1,2', 'more fields than columns'],
    [',5', 'email is required'],
    ['j\ufffde@mail.test,', 'email is not a valid email address'],
    [`a@mail.test,"${'x'.repeat(131_072)}"`, 'the line is longer than 131072 bytes'],
  ])('%.40j is an error', (line, reason) => {
    const { entries, errors } = read('email,score', line);
    expect(entries).toEqual([]);
    expect(errors).toEqual([{ line: 2, text: line.slice(0, 200), reason: expect.stringContaining(reason) }]);
  });

  it('of NDJSON is an entry of a batch, or a contact of the API', () => {
    const shown = {
      object: 'contact',
      id: '1',
      created_at: 'x',
      email: 'a@mail.test',
      attributes: { score: 1 },
    };
    const { entries, errors } = readJson(
      JSON.stringify(shown),
      '{"email":"b@mail.test","attributes":{"plan":null}}',
      '[]',
      '{',
      '{"email":"c@mail.test","nope":1}',
      `{"attributes":${'['.repeat(1_000)}`,
    );
    expect(entries.map(({ email, attributes }) => [email, attributes])).toEqual([
      ['a@mail.test', { set: { score: 1 }, remove: [] }],
      ['b@mail.test', { set: {}, remove: ['plan'] }],
    ]);
    expect(errors.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'the line is no JSON object'],
      [4, 'the line is no JSON'],
      [5, 'unknown field: nope'],
      [6, 'the line is nested too deeply'],
    ]);
  });
});
