import { describe, expect, it } from 'vitest';
import { csvFields, csvRecord, delimiterMark, delimiterOf, readCsvColumns, recordLines } from './csv.js';

describe('a CSV record', () => {
  it.each([
    ['a,b,,d', ['a', 'b', '', 'd']],
    ['"a ""b"", c",d', ['a "b", c', 'd']],
    ['"two\nlines",x', ['two\nlines', 'x']],
    ['', ['']],
  ])('%j is read and written', (record, fields) => {
    expect(csvFields(record)).toEqual(fields);
    expect(csvFields(csvRecord(fields))).toEqual(fields);
  });

  it.each([
    [';', 'a;"b;c";d,e', ['a', 'b;c', 'd,e']],
    ['\t', 'a\t"b\tc"\t\t d', ['a', 'b\tc', '', ' d']],
  ] as const)('has fields between %j', (delimiter, record, fields) => {
    expect(csvFields(record, delimiter)).toEqual(fields);
    expect(delimiterOf(record)).toBe(delimiter);
  });

  it.each([
    ['sep=;', ';'],
    ['SEP=\t', '\t'],
    ['"sep=,"', ','],
    ['sep=|', undefined],
    ['sep=;email', undefined],
    ['email', undefined],
  ])('%j before the header names the delimiter %j', (line, delimiter) => {
    expect(delimiterMark(line)).toBe(delimiter);
  });

  it.each(['a,"b', 'a "b" c', '"a" b'])('%j is refused', (record) => {
    expect(() => csvFields(record)).toThrow('a quote is not closed, or is inside a field');
  });

  it.each([
    [['a,b', 'c'], 1],
    [['a,"b', 'c",d', 'e'], 2],
    [['"a', '', 'b"'], 3],
    [['a "b', 'c"'], 1],
    [['a,"b', 'c'], 1],
    [['"', ...Array<string>(200).fill('x'), '"'], 1],
  ])('%j begins with a record of %i lines', (lines, count) => {
    expect(recordLines(lines, 0, 1_000)).toBe(count);
  });

  it('that grows too long is read as one invalid line', () => {
    expect(recordLines(['"x', 'y'.repeat(50), '"'], 0, 20)).toBe(1);
  });
});

describe('the columns of a CSV file', () => {
  const known = ['email', 'name'];
  const read = (line: string) =>
    readCsvColumns(
      line,
      (name) => (known.includes(name) ? name : undefined),
      () => 'known are email, name',
    );

  it('are what its first line names', () => {
    expect(read('Name; "EMAIL" ')).toEqual(['name', 'email']);
  });

  it.each([
    ['email,age', "unknown column 'age': known are email, name"],
    ['name', 'the first line names no column email'],
    ['email,Email', 'the first line names a column twice'],
  ])('of %j are refused', (line, message) => {
    expect(() => read(line)).toThrow(message);
  });
});
