import { describe, expect, it } from 'vitest';
import type { Dialect } from './dialect.js';
import { DIALECT_TABLE } from './dialects.table.js';
import {
  FieldError,
  group,
  listOf,
  refused,
  required,
  supported,
  translate,
  unless,
  type FieldTable,
} from './fields.js';

interface Row {
  readonly name: string;
  readonly table: FieldTable;
  readonly field: FieldTable[string];
}

const rowsOf = (table: FieldTable, path: string): Row[] =>
  Object.entries(table).flatMap(([name, field]) => [
    { name: `${path} ${name}`, table: { [name]: field }, field },
    ...('fields' in field && field.fields ? rowsOf(field.fields, `${path} ${name}`) : []),
  ]);

const fieldsOf = ({ routes }: Dialect): Row[] =>
  Object.entries(routes).flatMap(([id, { fields = {}, query = {} }]) => [
    ...rowsOf(fields, `${id}:`),
    ...rowsOf(query, `${id} query:`),
  ]);

/** @returns the error of a request with this field alone */
function errorOf(table: FieldTable, name: string, value: unknown): unknown {
  try {
    translate(table, { [name]: value });
    return undefined;
  } catch (error) {
    return error;
  }
}

const VALUES = ['a value', 17, -1.5, true, '', [], ['a value'], [[[]]], {}, { a: 'value' }, { odd: [null] }];
const FILE = { fileName: 'f', contentType: 'text/plain', data: 'Zg==' };
/** Every field of a form is a list. */
const FORM_VALUES = [['a value'], [''], ['a', 'b'], ['17'], ['{"a":1}'], ['[]'], [FILE], [FILE, 'a']];

describe.each(DIALECT_TABLE.map((dialect) => ({ ...dialect, rows: fieldsOf(dialect) })))(
  'the fields of $title',
  ({ name: dialect, rows }) => {
    const values = dialect === 'mailgun' ? FORM_VALUES : VALUES;

    it('that are refused are so by name, whatever their value', () => {
      for (const { name, table, field } of rows) {
        if (!('refused' in field)) continue;
        const [key = ''] = Object.keys(table);
        const asking = values.filter((value) => !field.except?.allows(value));
        expect(asking.length, name).toBeGreaterThan(values.length / 2);
        for (const value of asking) {
          const error = errorOf(table, key, value) as FieldError;
          expect(error, name).toBeInstanceOf(FieldError);
          expect(error.message).toContain(`${key} is not supported: `);
        }
      }
    });

    it('that are supported say what becomes of them, and name themselves in an error', () => {
      for (const { name, table, field } of rows) {
        if (!('read' in field)) continue;
        const [key = ''] = Object.keys(table);
        const given = key.replace('*', 'x');
        expect(field.to, name).toMatch(/\w/);
        for (const error of values.map((value) => errorOf(table, given, value))) {
          if (error === undefined) continue;
          expect(error, name).toBeInstanceOf(FieldError);
          expect((error as FieldError).message).toContain(given);
        }
      }
    });
  },
);

describe('a table of fields', () => {
  const TABLE: FieldTable = {
    name: required(supported('`name`', (value) => ({ name: value }))),
    track: supported('`tracking.open`', (value) => ({ tracking: { open: value } })),
    clicks: supported('`tracking.click`', (value) => ({ tracking: { click: value } })),
    tag: supported('`tags`', (value) => ({ tags: [value] })),
    'x-*': supported('`tags`', (value, name) => ({ tags: [`${name}=${String(value)}`] })),
    pool: refused('there are none', unless('', 'default')),
    from: group(
      '`from`',
      { email: required(supported('`email`', (value) => ({ email: value }))) },
      (from) => ({ from }),
    ),
    files: listOf('`files`', { data: supported('`data`', (value) => ({ data: value })) }, (files) => ({
      files,
    })),
  };

  it('puts the results of all fields together', () => {
    const given = {
      clicks: true,
      'x-b': 1,
      name: 'n',
      tag: 'a',
      track: false,
      from: { email: 'e' },
      files: [{ data: 1 }],
    };
    expect(translate(TABLE, given)).toEqual({
      name: 'n',
      tracking: { open: false, click: true },
      tags: ['a', 'x-b=1'],
      from: { email: 'e' },
      files: [{ data: 1 }],
    });
  });

  it('takes null, and a value that asks for nothing, as absent', () => {
    expect(translate(TABLE, { name: 'n', tag: null, pool: 'default' })).toEqual({ name: 'n' });
    expect(translate(TABLE, { name: 'n', pool: null, from: null })).toEqual({ name: 'n' });
  });

  it.each([
    [{ name: 'n', odd: 1, pool: 'x' }, 'odd is not a known field', 'unknown'],
    [{ name: 'n', pool: 'x' }, 'pool is not supported: there are none', 'invalid'],
    [JSON.parse('{"name":"n","__proto__":{}}'), '__proto__ is not a known field', 'unknown'],
    [{ name: 'n', toString: 1 }, 'toString is not a known field', 'unknown'],
    [{ tag: 'a' }, 'name is required', 'missing'],
    [{ name: 'n', from: {} }, 'from.email is required', 'missing'],
    [{ name: 'n', from: 'e' }, 'from must be an object', 'invalid'],
    [{ name: 'n', files: {} }, 'files must be an array', 'invalid'],
    [{ name: 'n', files: [{ data: 1 }, { odd: 1 }] }, 'files[1].odd is not a known field', 'unknown'],
  ])('%j: %s', (given, message, kind) => {
    expect(() => translate(TABLE, given)).toThrow(expect.objectContaining({ status: 400, message, kind }));
  });

  it.each([undefined, null, 'text', []])('%j is no request body', (given) => {
    expect(() => translate(TABLE, given)).toThrow('invalid request body');
  });
});
