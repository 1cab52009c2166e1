import { Readable } from 'node:stream';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeenAddresses } from './addresses.js';
import { jsonRows } from './json-rows.js';
import { rowsOf } from './rows.js';
import { timeOf } from './times.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postmesh-rows-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function rows(name: string, text: string | Buffer, charset?: string): Promise<unknown[]> {
  const path = join(folder, name);
  await writeFile(path, text);
  const read = [];
  for await (const row of rowsOf({ path, ...(charset ? { charset } : {}) })) {
    read.push(
      row.problem === undefined ? [row.line, row.value('EMAIL'), row.value('note')] : [row.line, row.problem],
    );
  }
  return read;
}

describe('rows of a CSV file', () => {
  it('have the line of the file, in quotes and behind line breaks too', async () => {
    expect(await rows('a.csv', 'email,note\na@x.test,"one\ntwo"\n\nb@x.test,\n')).toEqual([
      [2, 'a@x.test', 'one\ntwo'],
      [5, 'b@x.test', ''],
    ]);
  });

  it('are separated by what the first line has, or a mark says', async () => {
    expect(await rows('b.csv', 'Email;Note\na@x.test;1,5\n')).toEqual([[2, 'a@x.test', '1,5']]);
    expect(await rows('c.csv', 'sep=;\nemail;note\na@x.test;x\n')).toEqual([[3, 'a@x.test', 'x']]);
    expect(await rows('d.csv', '\ufeffemail\tnote\r\na@x.test\tx\r\n')).toEqual([[2, 'a@x.test', 'x']]);
  });

  it('say why they cannot be read', async () => {
    expect(await rows('e.csv', 'email,note\na@x.test,b,c\nb@x.test,x"y\n')).toEqual([
      [2, 'more fields than columns'],
      [3, 'a quote is not closed, or is inside a field'],
    ]);
    const latin = Buffer.from('email,note\na@x.test,caf\xe9\n', 'latin1');
    expect(await rows('f.csv', latin)).toEqual([[2, expect.stringContaining('not in UTF-8')]]);
    expect(await rows('f.csv', latin, 'windows-1252')).toEqual([[2, 'a@x.test', 'café']]);
    await expect(rows('g.csv', '')).rejects.toThrow('the file is empty');
  });
});

describe('rows of a JSON file', () => {
  const read = async (text: string, names: string[] = [], alone = false) => {
    const found = [];
    for await (const { line, value } of jsonRows(Readable.from([Buffer.from(text)]), names, alone))
      found.push([line, value]);
    return found;
  };

  it('are in the outermost array, or in one that has the name', async () => {
    expect(await read('[{"a":1},\n{"a":[{"b":2}]}]')).toEqual([
      [1, { a: 1 }],
      [2, { a: [{ b: 2 }] }],
    ]);
    const page = '{"links":[{"x":1}],"data":{"items":[{"a":"}\\"]"}]}}';
    expect(await read(page, ['items'])).toEqual([[1, { a: '}"]' }]]);
    expect(await read(`${page}\n${page}`, ['items'])).toHaveLength(2);
    expect(await read('{"a":1}\n{"a":2}\n', [], true)).toEqual([
      [1, { a: 1 }],
      [2, { a: 2 }],
    ]);
  });

  it('end with the line of what is no JSON', async () => {
    await expect(read('[\n{"a":1},\n{"a":}]')).rejects.toThrow(
      'line 3: the object that begins here is no JSON',
    );
    await expect(read('[{"a":1}')).rejects.toThrow('the file ends too early');
    await expect(read('[{"a":1}}')).rejects.toThrow('line 1: the file is no JSON');
  });

  it('are the same however the file is cut into parts', async () => {
    const value = fc.array(
      fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.string()))),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(value, fc.integer({ min: 1, max: 7 }), async (given, size) => {
        const bytes = Buffer.from(JSON.stringify({ items: given }, null, 1));
        const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const found = [];
        for await (const row of jsonRows(Readable.from(parts), ['items'])) found.push(row.value);
        expect(found).toEqual(JSON.parse(JSON.stringify(given)));
      }),
      { numRuns: 50 },
    );
  });
});

describe('a time', () => {
  const now = new Date('2026-11-27T12:00:00Z');
  it.each([
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    [1_700_000_000, '2023-11-14T22:13:20.000Z'],
    ['1700000000123', '2023-11-14T22:13:20.123Z'],
    ['2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['2024-05-06 07:08:09', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06 07:08:09.123456 +0200 CEST', '2024-05-06T05:08:09.123Z'],
    ['2024-05-06T07:08:09+0200', '2024-05-06T05:08:09.000Z'],
    ['Mon, 6 May 2024 07:08:09 -0500', '2024-05-06T12:08:09.000Z'],
  ])('%s is %s', (given, text) => {
    expect(timeOf(given, now)?.toISOString()).toBe(text);
  });

  it.each(['', 'yesterday', '05/06/2024', '2030-01-01', '12', null, undefined, {}, '1969-01-01'])(
    '%s is none',
    (given) => {
      expect(timeOf(given, now)).toBeUndefined();
    },
  );
});

it('addresses that were seen are known again, also after the table grew', () => {
  const seen = new SeenAddresses();
  const addresses = Array.from({ length: 20_000 }, (_, at) => `person-${at}@mail.test`);
  expect(addresses.every((address) => seen.add(address))).toBe(true);
  expect(addresses.some((address) => seen.add(address))).toBe(false);
});
