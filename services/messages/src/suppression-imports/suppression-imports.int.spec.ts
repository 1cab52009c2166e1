import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { testDatabase } from '@postmesh/testing';
import { startSuppressions, type SuppressionsUnderTest } from '../testing/suppressions-under-test.js';
import { SuppressionImports } from './suppression-imports.js';

const database = testDatabase();
let under: SuppressionsUnderTest;

beforeAll(async () => {
  under = await startSuppressions(database.url);
});
afterAll(() => under?.stop());

const CSV = 'text/csv';
const upload = async (account: string, content: string | Readable, contentType = CSV) => {
  const bytes = typeof content === 'string' ? Readable.from(Buffer.from(content)) : content;
  const path = `/operator/accounts/${account}/suppression-imports`;
  const response = await under.service
    .get(InternalClient)
    .send('messages', { method: 'POST', path, raw: { bytes, contentType }, operator: 'oncall' });
  return { status: response.status, body: JSON.parse(response.bytes.toString()) };
};
const view = async (id: string) => (await under.internal('GET', `/operator/suppression-imports/${id}`)).body;
const ended = async (id: string, timeout = 30_000) => {
  await expect.poll(async () => (await view(id)).state, { timeout, interval: 50 }).toMatch(/done|failed/);
  return view(id);
};
const rowsOf = async (account: string) => {
  const [row] = await under.sql<{ count: number }>(
    'select count(*)::int from suppressions where account_id = $1',
    [account],
  );
  return row?.count;
};

/** Lines in several parts, as from a disk. */
function* csvOf(count: number, suffix: string, columns = 'email,domain,reason'): Generator<string> {
  yield `${columns}\n`;
  for (let first = 0; first < count; first += 1_000) {
    const lines = Array.from(
      { length: Math.min(1_000, count - first) },
      (_, n) => `r${first + n}${suffix}\n`,
    );
    yield lines.join('');
  }
}
const fileOf = (count: number, suffix: string) => Readable.from(csvOf(count, suffix));

describe('an import', () => {
  it('of CSV is stored, processed, and lists the rejected lines', async () => {
    const account = under.account('a.test', 'b.test');
    const lines = [
      'email,domain,reason,expires_at',
      'ann@mail.test,a.test,Unsubscribed,',
      'nonsense,a.test,,',
      'bob@mail.test,,Asked,2090-01-01T00:00:00Z',
      '',
      'ann@mail.test,a.test,Asked,2090-01-01T00:00:00Z',
      'ann@mail.test,c.test,,',
    ];
    const { status, body } = await upload(account, lines.join('\r\n'));
    expect([status, body]).toMatchObject([
      202,
      { account_id: account, operator: 'oncall', format: 'csv', state: 'waiting', lines: 6, lines_done: 0 },
    ]);
    expect(await ended(body.id)).toMatchObject({
      state: 'done',
      problem: null,
      lines: 6,
      lines_done: 6,
      created: 3,
      extended: 0,
      unchanged: 1,
      errors: 2,
      first_errors: [
        { line: 3, text: 'nonsense,a.test,,', reason: 'email is not a valid email address' },
        { line: 7, text: 'ann@mail.test,c.test,,', reason: 'domain not found: c.test' },
      ],
    });
    const { body: list } = await under.suppressions(account, 'GET', '?email=ann@mail.test');
    expect(list.data).toMatchObject([
      { domain: 'a.test', reason: 'Unsubscribed', protected: true, expires_at: '9999-12-31T23:59:59Z' },
    ]);
    const told = under.told.events.filter(({ account_id }) => account_id === account);
    expect(told.map(({ source, kind }) => `${source} ${kind}`)).toEqual(
      Array<string>(3).fill('import created'),
    );
    const { body: all } = await under.internal('GET', `/operator/accounts/${account}/suppression-imports`);
    expect(all.data.map(({ id }: { id: string }) => id)).toEqual([body.id]);
  });

  it('accepts the list of the API as NDJSON, and only extends rows that block already', async () => {
    const [from, to] = [under.account('a.test'), under.account('a.test')];
    const early = { email: 'early@mail.test', expires_at: '2089-01-01T00:00:00Z' };
    for (const body of [early, { ...early, email: 'late@mail.test', expires_at: '2091-01-01T00:00:00Z' }]) {
      await under.suppressions(from, 'POST', '', { body });
    }
    for (const email of [early.email, 'late@mail.test']) {
      await under.suppressions(to, 'POST', '', { body: { email, expires_at: '2090-01-01T00:00:00Z' } });
    }
    const { body: list } = await under.suppressions(from, 'GET');
    const lines = list.data.map((row: object) => JSON.stringify(row)).join('\n');
    const { body } = await upload(to, lines, 'application/x-ndjson');
    expect(await ended(body.id)).toMatchObject({ created: 0, extended: 1, unchanged: 1, errors: 0 });
  });

  it('of 12,000 rows', async () => {
    const account = under.account('a.test');
    const { status, body } = await upload(account, fileOf(12_000, '@mail.test,a.test,'));
    expect([status, body.lines]).toEqual([202, 12_000]);
    expect(await ended(body.id)).toMatchObject({ state: 'done', created: 12_000, errors: 0 });
    expect(await rowsOf(account)).toBe(12_000);
    expect(
      await under.sql('select 1 from suppression_import_chunks where import_id = $1', [body.id]),
    ).toEqual([]);
  });

  it('counts all errors and keeps a thousand', async () => {
    const account = under.account('a.test');
    const { body } = await upload(account, fileOf(1_700, ' at mail.test,,'));
    const { errors, first_errors: kept } = await ended(body.id);
    expect([errors, kept.length, kept.at(-1).line]).toEqual([1_700, 1_000, 1_001]);
  });

  it('spreads a line for all domains over batches', async () => {
    const account = under.account(...Array.from({ length: 700 }, (_, n) => `d${n}.test`));
    const { body } = await upload(account, 'email\nann@mail.test\nbob@mail.test\n');
    expect(await ended(body.id)).toMatchObject({ lines_done: 2, created: 1_400 });
  });

  it('does not wait for the large one of another account', async () => {
    const [large, small] = [under.account('a.test'), under.account('a.test')];
    const first = await upload(large, fileOf(10_000, '@mail.test,a.test,'));
    const second = await upload(large, 'email\nann@mail.test');
    const third = await upload(small, 'email\nann@mail.test');
    expect(await ended(third.body.id)).toMatchObject({ state: 'done', created: 1 });
    // the second one of the same account waits
    expect([(await view(first.body.id)).state, (await view(second.body.id)).state]).toEqual([
      'waiting',
      'waiting',
    ]);
    await under.suppressions(large, 'DELETE', '/all');
    await ended(second.body.id);
  });
});

describe('an import that is canceled', () => {
  const cancel = (path: string) => under.internal('DELETE', path, undefined, 'oncall');

  it('adds nothing more, and can be canceled once', async () => {
    const account = under.account('a.test');
    const { body } = await upload(account, fileOf(30_000, '@mail.test,a.test,'));
    const path = `/operator/suppression-imports/${body.id}`;
    const canceled = await cancel(path);
    expect(canceled.body).toMatchObject({ state: 'failed', problem: 'canceled by oncall' });
    expect(canceled.body.lines_done).toBeLessThan(30_000);
    const again = await cancel(path);
    expect([again.status, again.body.message]).toEqual([409, 'the import is failed']);
    expect((await cancel(`/operator/suppression-imports/${newId()}`)).status).toBe(404);
    const [left] = await under.sql<object>('select from suppression_import_chunks where import_id = $1', [
      body.id,
    ]);
    expect(left).toBeUndefined();
    expect(await rowsOf(account)).toBe(canceled.body.created);
    const next = await upload(account, 'email\nann@mail.test');
    expect(await ended(next.body.id)).toMatchObject({ state: 'done', created: 1 });
    expect(await view(body.id)).toEqual({ ...canceled.body, first_errors: [] });
  });
});

describe('an upload', () => {
  it.each([
    ['', 400, 'the import has no lines'],
    ['email\n', 400, 'the import has no lines'],
    ['ann@mail.test\n', 400, /^unknown column/],
  ])('of %j is refused, and not stored', async (content, status, message) => {
    const account = under.account('a.test');
    const given = await upload(account, content);
    expect([given.status, given.body.message]).toEqual([status, expect.stringMatching(message)]);
    const [left] = await under.sql<object>('select from suppression_imports where account_id = $1', [
      account,
    ]);
    expect(left).toBeUndefined();
  });

  it('needs an account with domains, and one of the two types', async () => {
    const none = await upload(newId(), 'email\nann@mail.test');
    expect([none.status, none.body.message]).toEqual([400, 'account has no domains']);
    const json = await under.internal(
      'POST',
      `/operator/accounts/${under.account('a.test')}/suppression-imports`,
      {},
    );
    expect([json.status, json.body.message]).toEqual([
      415,
      'content type must be one of: text/csv, application/x-ndjson',
    ]);
    expect((await under.internal('GET', `/operator/suppression-imports/${newId()}`)).status).toBe(404);
  });

  it('that is cut off leaves nothing', async () => {
    const account = under.account('a.test');
    const broken = Readable.from(
      (function* () {
        yield* csvOf(5_000, '@mail.test,a.test,');
        throw new Error('connection reset');
      })(),
    );
    await upload(account, broken).catch(() => undefined);
    const left = () => under.sql('select from suppression_imports where account_id = $1', [account]);
    await expect.poll(left).toEqual([]);
    expect(await rowsOf(account)).toBe(0);
  });

  it('is limited to ten unfinished ones per account', async () => {
    const account = under.account('a.test');
    const imports = under.service.get(SuppressionImports).rows;
    const begin = () =>
      imports.begin({ id: newId(), accountId: account as never, operator: 'x', format: 'csv', most: 10 });
    for (let n = 0; n < 10; n += 1) expect(await begin()).toBe(true);
    const eleventh = await upload(account, 'email\nann@mail.test');
    expect([eleventh.status, eleventh.body.message]).toEqual([
      409,
      'the account has 10 imports that are not finished',
    ]);
    await under.sql(
      `update suppression_imports set created_at = now() - interval '2 hours' where account_id = $1`,
      [account],
    );
    expect(await imports.outdated(1, 30)).toHaveLength(10);
  });
});
