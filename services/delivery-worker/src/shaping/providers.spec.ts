import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { matchesHost } from '@postmesh/smtp-replies';
import { PROVIDERS, ProviderTable, type Provider } from './providers.table.js';
import { mergeProviders, readProviders } from './read-providers.js';

const rows = [...PROVIDERS.values()];
const row = (id: string): Provider => {
  const found = PROVIDERS.get(id);
  if (found === undefined) throw new Error(`no row ${id}`);
  return found;
};
const faults = (table: unknown): string[] =>
  ProviderTable.safeParse(table).error?.issues.map(({ message }) => message) ?? [];

describe('the provider table', () => {
  it.each([
    ['google', 5, 20, 50],
    ['outlook', 5, 50, 50],
    ['m365', 10, 50, 50],
    ['m365-dane', 10, 50, 50],
    ['yahoo', 5, 20, 20],
    ['yahoo-jp', 2, 2, 20],
    ['apple', 10, 20, 5],
    ['comcast', 10, 25, 100],
    ['gmx', 4, 4, 20],
    ['orange', 2, 3, 100],
    ['laposte', 2, 3, 100],
    ['mimecast', 10, 10, 100],
    ['barracuda', 5, 10, 15],
    ['qq', 2, 4, 8],
    ['netease', 2, 4, 7],
    ['kpn', 5, 10, 10],
    ['netvigator', 5, 5, 10],
    ['godaddy', 3, 10, 20],
    ['t-online', 3, 10, 20],
    ['mail-ru', 3, 10, 20],
    ['yandex', 3, 10, 20],
    ['proofpoint', 3, 10, 20],
    ['default', 3, 20, 100],
  ])('begins at %s with %i connections, at most %i, %i messages each', (id, start, cap, perConnection) => {
    expect(row(id)).toMatchObject({ connections: { start, cap }, perConnection });
  });

  it('has the source of the numbers of each row, and requires TLS of no provider', () => {
    expect(rows.every(({ source }) => source.url !== '' && source.seen !== '')).toBe(true);
    expect(rows.filter(({ tls }) => tls === 'required')).toEqual([]);
    expect(rows.filter(({ connections }) => connections.per === 'site').map(({ id }) => id)).toEqual([
      'mimecast',
      'proofpoint',
      'default',
    ]);
  });

  it('leaves no host to two rows', () => {
    const matching = (host: string) =>
      rows.filter(({ match }) => match.some((each) => matchesHost(each, host))).map(({ id }) => id);
    for (const { id, match } of rows) {
      for (const pattern of match)
        expect(matching(pattern.startsWith('.') ? `mx1${pattern}` : pattern)).toEqual([id]);
    }
  });
});

describe('a broken table is refused', () => {
  const google = row('google');
  const fallback = row('default');
  it.each<[string, unknown[], RegExp]>([
    [
      'an id twice',
      [google, { ...google, match: ['.other.test'] }, fallback],
      /google: the id is used twice/,
    ],
    ['a suffix below another one', [google, { ...row('qq'), match: ['.l.google.com'] }, fallback], /covers/],
    ['a host below a suffix', [google, { ...row('qq'), match: ['mx.google.com'] }, fallback], /covers/],
    ['a suffix twice in a row', [{ ...google, match: ['.a.test', '.a.test'] }, fallback], /covers/],
    [
      'more at the start than ever',
      [{ ...google, connections: { start: 9, cap: 8, per: 'site' } }, fallback],
      /start/,
    ],
    ['no default', [google], /there is no row 'default'/],
    ['a default that matches', [{ ...fallback, match: ['.a.test'] }], /matches no hosts/],
    ['a row that matches nothing', [{ ...google, match: [] }, fallback], /matches no hosts/],
    ['one label', [{ ...google, match: ['.com'] }, fallback], /host name/],
    ['upper case', [{ ...google, match: ['.Google.com'] }, fallback], /host name/],
    ['an unknown field', [{ ...google, conections: 5 }, fallback], /nrecognized/],
  ])('%s', (_, table, message) => expect(faults(table).join()).toMatch(message));
});

describe("an operator's file", () => {
  const dirs: string[] = [];
  afterEach(async () => {
    for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
  });
  const fileOf = async (text: string) => {
    const dir = await mkdtemp(join(tmpdir(), 'shaping-'));
    dirs.push(dir);
    await writeFile(join(dir, 'shaping.json'), text);
    return join(dir, 'shaping.json');
  };

  it('changes the fields that it names, row by row', () => {
    const merged = mergeProviders({ google: { connections: { cap: 7 } }, gmx: { tls: 'required' } });
    expect(merged.get('google')).toEqual({
      ...row('google'),
      connections: { start: 5, cap: 7, per: 'provider' },
    });
    expect(merged.get('gmx')).toEqual({ ...row('gmx'), tls: 'required' });
    expect(merged.get('yahoo')).toEqual(row('yahoo'));
  });

  it('adds rows, which take missing fields from the default in force', () => {
    const merged = mergeProviders({
      corp: { match: ['mx.corp.test'], perConnection: 1 },
      default: { connections: { start: 100, cap: 200 } },
    });
    expect(merged.get('corp')).toMatchObject({
      connections: { start: 100, cap: 200, per: 'site' },
      perConnection: 1,
    });
    expect(merged.get('default')).toMatchObject({
      connections: { start: 100, cap: 200 },
      perConnection: 100,
    });
  });

  it.each([
    ['{', /POSTMESH_SHAPING_FILE \S+shaping\.json: .*JSON/],
    ['[]', /must be an object of rows by id/],
    ['{"google":5}', /must be an object of rows by id: google/],
    ['{"google":{"connections":{"start":21}}}', /google\.connections.* start must not be above cap/],
    ['{"google":{"perConnection":0}}', /google\.perConnection/],
    ['{"corp":{}}', /corp: only 'default'/],
    ['{"corp":{"match":[".l.google.com"]}}', /google: \.google\.com covers \.l\.google\.com of corp/],
    ['{"Corp":{"match":[".corp.test"]}}', /Corp\.id/],
  ])('that is broken says what and where: %s', async (text, message) => {
    await expect(readProviders(await fileOf(text))).rejects.toThrow(message);
  });

  it('that is not there stops the start', async () => {
    await expect(readProviders('/nowhere/shaping.json')).rejects.toThrow(/POSTMESH_SHAPING_FILE.*ENOENT/);
  });
});
