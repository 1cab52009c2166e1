import { describe, expect, it } from 'vitest';
import { newId, type AccountId } from '@postmesh/contracts';
import { PERMANENT } from '../suppressions/suppression.rules.js';
import { readColumns, takeBatch, type ImportAbout } from './import-lines.rules.js';

const importedAt = new Date('2026-01-05T08:00:00Z');
const about = (format: 'csv' | 'ndjson', ...columns: string[]): ImportAbout => ({
  accountId: newId() as AccountId,
  format,
  columns,
  importedAt,
});
const CSV = about('csv', 'email', 'domain', 'reason', 'expires_at', 'created_at');
const JSON_LINES = about('ndjson');
const OWN = ['a.test', 'b.test'];
const START = { line: 0, afterDomain: '' };
const take = (of: ImportAbout, ...lines: string[]) => takeBatch(of, { first: 0, lines }, START, OWN);

describe('the first line of a CSV file', () => {
  it.each([
    ['email', ['email']],
    ['Email, "Domain" ,reason', ['email', 'domain', 'reason']],
    ['email;domain', ['email', 'domain']],
    ['object,id,created_at,email,domain,reason,protected,expires_at', undefined],
  ])('%j has column names', (line, columns) => {
    expect(readColumns(line)).toEqual(columns ?? line.split(','));
  });

  it.each([
    ['', /^unknown column ''/],
    ['ann@mail.test', /^unknown column 'ann@mail.test'/],
    ['email,expiry', /^unknown column 'expiry'/],
    ['domain,reason', /names no column email/],
    ['email,email', /names a column twice/],
    ['email,"domain', /a quote is not closed/],
  ])('%j is refused', (line, message) => {
    expect(() => readColumns(line)).toThrow(message);
  });
});

describe('a line', () => {
  it('has the fields of a suppression', () => {
    const expected = {
      accountId: CSV.accountId,
      email: 'ann@mail.test',
      domain: 'a.test',
      reason: 'said "no", twice',
      protected: false,
      source: 'import',
      createdAt: new Date('2025-01-01T00:00:00Z'),
      expiresAt: new Date('2090-01-01T00:00:00Z'),
    };
    const csv = take(
      CSV,
      ' Ann@MAIL.test ,A.test,"said ""no"", twice",2090-01-01T00:00:00Z,2025-01-01T01:00:00+01:00',
    );
    expect(csv).toEqual({ causes: [expected], errors: [], next: { line: 1, afterDomain: '' } });
    const fields = {
      object: 'suppression',
      id: newId(),
      protected: true,
      email: 'ann@mail.test',
      domain: 'a.test',
      reason: 'said "no", twice',
      expires_at: '2090-01-01T00:00:00Z',
      created_at: '2025-01-01T00:00:00Z',
    };
    expect(take(JSON_LINES, JSON.stringify(fields)).causes).toEqual([
      { ...expected, accountId: JSON_LINES.accountId },
    ]);
  });

  it('may span several lines of the file, which errors count like an editor', () => {
    const batch = take(
      CSV,
      'ann@mail.test,a.test,"two',
      'lines"',
      'bad',
      '"never closed,',
      'bob@mail.test,b.test',
    );
    expect(batch.causes.map(({ email, reason }) => [email, reason])).toEqual([
      ['ann@mail.test', 'two\nlines'],
      ['bob@mail.test', ''],
    ]);
    expect(batch.errors.map(({ line }) => line)).toEqual([4, 5]);
    expect(batch.next).toEqual({ line: 5, afterDomain: '' });
  });

  it('needs only the address: all domains, permanent, since the import', () => {
    for (const batch of [
      take(CSV, 'ann@mail.test'),
      take(CSV, 'ann@mail.test,*,,,'),
      take(JSON_LINES, '{"email":"ann@mail.test","domain":null}'),
    ]) {
      expect(batch.errors).toEqual([]);
      expect(batch.causes.map(({ domain }) => domain)).toEqual(OWN);
      expect(batch.causes[0]).toMatchObject({ reason: '', expiresAt: PERMANENT, createdAt: importedAt });
    }
  });

  it.each([
    ['FBL Complaint Report', true],
    ['FBL Abuse Report', true],
    ['Unsubscribed', true],
    ['unsubscribed', false],
    ['Too many hard bounces', false],
  ])('§14.3 rule 3: with the reason %s has protected %s', (reason, expected) => {
    expect(take(CSV, `ann@mail.test,a.test,${reason}`).causes[0]?.protected).toBe(expected);
  });

  it.each([
    ['ann', 'email is not a valid email address'],
    [',a.test', 'email is required'],
    ['ann@mail.test,c.test', 'domain not found: c.test'],
    ['ann@mail.test,no domain', 'domain not found: no domain'],
    ['ann@mail.test,a.test,,soon', 'invalid expires_at, provide a valid RFC3339 time string'],
    ['ann@mail.test,a.test,,2020-01-01T00:00:00Z', 'expires_at must be in the future'],
    ['ann@mail.test,a.test,,,2090-01-01T00:00:00Z', 'created_at must not be in the future'],
    ['j\ufffde@mail.test,a.test', 'email is not a valid email address'],
    [`ann@mail.test,a.test,${'é'.repeat(256)}`, 'reason must be at most 255 characters'],
    ['ann@mail.test,a.test,"not closed', 'a quote is not closed, or is inside a field'],
    ['ann@mail.test,a.test,a "b" c', 'a quote is not closed, or is inside a field'],
    ['ann@mail.test,a.test,,,,', 'more fields than columns'],
    [`ann@mail.test${' '.repeat(4_096)}`, 'the line is longer than 4096 bytes'],
  ])('of CSV %j is an error', (line, reason) => {
    const { causes, errors } = take(CSV, '', line);
    expect(causes).toEqual([]);
    expect(errors).toEqual([{ line: 3, text: line.slice(0, 200), reason }]);
  });

  it.each([
    ['{', 'the line is no JSON'],
    ['7', 'the line is no JSON object'],
    ['1.10', 'the line is no JSON object'],
    ['['.repeat(129), 'the line is nested too deeply'],
    ['null', 'the line is no JSON object'],
    ['["ann@mail.test"]', 'the line is no JSON object'],
    ['{"email":7}', 'email must be a string'],
    ['{"email":"ann@mail.test","expiry":1}', 'unknown field: expiry'],
    ['{"email":"ann@mail.test","__proto__":{}}', 'unknown field: __proto__'],
  ])('of NDJSON %j is an error', (line, reason) => {
    expect(take(JSON_LINES, line).errors).toEqual([{ line: 1, text: line, reason }]);
  });

  it('may be blank', () => {
    expect(take(CSV, '', '  ')).toEqual({ causes: [], errors: [], next: { line: 2, afterDomain: '' } });
  });
});

describe('a batch', () => {
  it('has up to 500 rows, and continues at the end of the previous one', () => {
    const domains = Array.from({ length: 300 }, (_, n) => `d${String(n).padStart(3, '0')}.test`);
    const lines = ['a@mail.test', 'b@mail.test,d007.test', 'bad', 'c@mail.test', 'd@mail.test'];
    const seen: string[] = [];
    const sizes: number[] = [];
    let errors = 0;
    let at = { line: 10, afterDomain: '' };
    while (at.line < 15) {
      const batch = takeBatch(CSV, { first: 10, lines }, at, domains);
      sizes.push(batch.causes.length);
      errors += batch.errors.length;
      seen.push(...batch.causes.map(({ email, domain }) => `${email} ${domain}`));
      at = batch.next;
    }
    expect(sizes).toEqual([500, 401]);
    expect(errors).toBe(1);
    expect(new Set(seen).size).toBe(901);
  });

  it('begins within a chunk and within a line', () => {
    const batch = takeBatch(
      CSV,
      { first: 3, lines: ['x@mail.test', 'y@mail.test'] },
      { line: 4, afterDomain: 'a.test' },
      OWN,
    );
    expect(batch.causes.map(({ email, domain }) => [email, domain])).toEqual([['y@mail.test', 'b.test']]);
    expect(batch.next).toEqual({ line: 5, afterDomain: '' });
  });

  it('of lines for all domains has errors where the account has none', () => {
    expect(takeBatch(CSV, { first: 0, lines: ['x@mail.test'] }, START, []).errors).toEqual([
      { line: 2, text: 'x@mail.test', reason: 'account has no domains' },
    ]);
  });
});
