import { Readable } from 'node:stream';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { recordDeletion } from '../../account-changes/deleted-accounts.js';
import { MARKETING_SERVICE } from '../../marketing.definition.js';

const database = testDatabase();
let marketing: TestService;
let account_id: string;

beforeAll(async () => {
  marketing = await startTestService(MARKETING_SERVICE, { databaseUrl: database.url });
});
afterAll(() => marketing?.stop());
beforeEach(() => {
  account_id = newId();
});

const upload = async (content: string | Buffer | Readable, search = '', contentType = 'text/csv') => {
  const bytes = content instanceof Readable ? content : Readable.from([Buffer.from(content)]);
  const path = `/operator/accounts/${account_id}/contact-imports${search}`;
  const response = await marketing.service
    .get(InternalClient)
    .send('marketing', { method: 'POST', path, raw: { bytes, contentType }, operator: 'oncall' });
  return { status: response.status, body: JSON.parse(response.bytes.toString()) };
};
const view = async (id: string) => (await marketing.internal('GET', `/operator/contact-imports/${id}`)).body;
const ended = async (id: string, timeout = 20_000) => {
  await expect.poll(async () => (await view(id)).state, { timeout, interval: 50 }).toMatch(/done|failed/);
  return view(id);
};
const imported = async (content: string | Buffer | Readable, search = '', contentType = 'text/csv') => {
  const { status, body } = await upload(content, search, contentType);
  expect([status, body.message]).toEqual([202, undefined]);
  return ended(body.id);
};
const api = (method: 'GET' | 'POST' | 'PUT', rest: string, body?: object) =>
  marketing.call(method, `/v2/accounts/${account_id}${rest}`, { account_id, body });
const contact = async (email: string) => (await api('GET', `/contacts/${email}`)).body;
const define = (key: string, type: string) =>
  marketing.internal('POST', `/operator/accounts/${account_id}/attributes`, { key, type }, 'oncall');
const sql = (text: string, parameters: unknown[] = []) =>
  marketing.service.get(DataSource).query(text, parameters) as Promise<Record<string, unknown>[]>;

function* csvOf(count: number): Generator<string> {
  yield 'email,first_name\n';
  for (let n = 0; n < count; n += 1) yield `c${n}@mail.test,Name ${n}\n`;
}

describe('an import of contacts', () => {
  it('creates and updates them line by line, and reports the rejected lines', async () => {
    await define('score', 'number');
    await api('POST', '/contacts', { email: 'known@mail.test', first_name: 'Kay' });
    await api('POST', '/contacts', { email: 'same@mail.test', first_name: 'Sam', unsubscribed: true });
    const result = await imported(
      [
        'email,first_name,unsubscribed,score',
        'new@mail.test,Nell,true,1',
        'KNOWN@mail.test,,,2.5',
        'same@mail.test,Sam,false,',
        'nonsense,,,',
        'new@mail.test,Nelly,,x',
        'new@mail.test,Nelly,,7',
      ].join('\r\n'),
    );
    expect(result).toMatchObject({
      account_id,
      operator: 'oncall',
      state: 'done',
      problem: null,
      lines: 6,
      lines_done: 6,
      created: 1,
      updated: 2,
      unchanged: 1,
      listed: 0,
      errors: 2,
      first_errors: [
        { line: 5, text: 'nonsense,,,', reason: 'email is not a valid email address' },
        { line: 6, text: 'new@mail.test,Nelly,,x', reason: 'attribute "score" must be a finite number' },
      ],
    });
    expect(await contact('new@mail.test')).toMatchObject({
      first_name: 'Nelly',
      unsubscribed: true,
      attributes: { score: 7 },
    });
    expect(await contact('known@mail.test')).toMatchObject({ first_name: 'Kay', attributes: { score: 2.5 } });
    // a file is older than later unsubscribes
    expect(await contact('same@mail.test')).toMatchObject({ unsubscribed: true });
    const sources = await sql(
      `select source from contact_unsubscribes u join contacts c on c.id = contact_id where account_id = $1 order by u.id`,
      [account_id],
    );
    expect(sources.map(({ source }) => source)).toEqual(['account', 'import']);
  });

  it('adds them to a list, too, and changes no existing membership', async () => {
    const list = (await api('POST', '/lists', { name: 'News' })).body.id;
    await api('POST', '/contacts', { email: 'gone@mail.test' });
    await api('PUT', `/lists/${list}/contacts/gone@mail.test`, { subscription_status: 'unsubscribed' });
    const result = await imported(
      'email\na@mail.test\ngone@mail.test\nb@mail.test\na@mail.test\n',
      `?list_id=${list}`,
    );
    expect(result).toMatchObject({ state: 'done', list_id: list, created: 2, listed: 2 });
    const members = (await api('GET', `/lists/${list}/contacts?subscription_status=confirmed`)).body.data;
    expect(members.map(({ email }: { email: string }) => email).sort()).toEqual([
      'a@mail.test',
      'b@mail.test',
    ]);
    expect((await api('GET', `/lists/${list}`)).body.contact_count).toBe(2);
    expect(await upload('email\na@mail.test', `?list_id=${newId()}`)).toMatchObject({
      status: 404,
      body: { message: 'list not found' },
    });
  });

  it('fails with a readable reason when its list or its account is deleted meanwhile', async () => {
    const list = (await api('POST', '/lists', { name: 'News' })).body.id;
    const first = await upload(Readable.from(csvOf(5_000)), `?list_id=${list}`);
    await sql('update lists set deleted_at = now() where id = $1', [list]);
    expect(await ended(first.body.id)).toMatchObject({ state: 'failed', problem: 'the list was deleted' });
    const second = await upload(Readable.from(csvOf(5_000)));
    await marketing.service.get(DataSource).transaction((tx) => recordDeletion(tx, account_id));
    expect(await ended(second.body.id)).toMatchObject({
      state: 'failed',
      problem: 'the account was deleted',
    });
    expect((await upload('email\na@mail.test')).status).toBe(401);
  });

  it.each([
    ['', 'the import has no lines'],
    ['email\n', 'the import has no lines'],
    ['email,age\na@mail.test,7', /^unknown column 'age'/],
  ])('of %j is refused', async (content, message) => {
    const { status, body } = await upload(content);
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
    expect(
      (await marketing.internal('GET', `/operator/accounts/${account_id}/contact-imports`)).body.data,
    ).toEqual([]);
  });

  it('reports lines that violate its encoding, and reads another declared one', async () => {
    const file = 'email;first_name\r\nandre@mail.test;André\r\nbob@mail.test;"Bob;\r\nby"\r\n';
    const result = await imported(Buffer.from(file, 'latin1'));
    expect(result).toMatchObject({ state: 'done', lines: 3, created: 1, errors: 1 });
    expect(result.first_errors).toEqual([
      { line: 2, text: 'andre@mail.test;André', reason: expect.stringContaining('the line is not in UTF-8') },
    ]);
    expect(await contact('bob@mail.test')).toMatchObject({ first_name: 'Bob; by' });
    const marked = Buffer.from(`sep=;\r\n${file}`, 'latin1');
    const said = await imported(marked, '', 'text/csv; charset=ISO-8859-1');
    expect(said).toMatchObject({ created: 1, unchanged: 1, errors: 0 });
    expect(await contact('andre@mail.test')).toMatchObject({ first_name: 'André' });
    const { status, body } = await upload(Buffer.from('pr\u00e9nom', 'latin1'));
    expect([status, body.message]).toEqual([
      400,
      expect.stringMatching(/^the line is not in UTF-8.* \(line 1\)$/),
    ]);
  });

  it('can be canceled; its finished lines stay', async () => {
    const { body } = await upload(Readable.from(csvOf(50_000)));
    const path = `/operator/contact-imports/${body.id}`;
    const canceled = await marketing.internal('DELETE', path, undefined, 'oncall');
    expect(canceled.body).toMatchObject({ state: 'failed', problem: 'canceled by oncall' });
    const [row] = await sql('select count(*)::int as count from contacts where account_id = $1', [
      account_id,
    ]);
    expect(row?.['count']).toBe((await view(body.id)).created);
  });
});

describe('an export of contacts', () => {
  const page = async (search: string) =>
    (await marketing.internal('GET', `/operator/accounts/${account_id}/contact-export${search}`)).body;
  const whole = async (format: string, limit: number) => {
    let text = '';
    const seen = [];
    let next: string | null = '';
    let search = '';
    while (next !== null) {
      const { text: more, next: after, ...rest } = await page(`?format=${format}&limit=${limit}${search}`);
      text += more;
      seen.push(rest);
      next = after;
      search = `&after=${after}&keys=${rest.keys.join(',') || '-'}`;
    }
    return { text, seen };
  };

  it.each(['csv', 'ndjson'])(
    'as %s holds everything, page by page, and can be imported as it is',
    async (format) => {
      await define('plan', 'string');
      await define('score', 'number');
      await define('old', 'string');
      const rich = {
        email: 'rich@mail.test',
        first_name: 'Zoë, "Z"',
        status: 'blocked',
        status_reason: 'two\nlines',
        unsubscribed: true,
        attributes: { plan: ' a,b ', score: -1.5, old: 'kept' },
      };
      await api('POST', '/contacts', rich);
      for (let n = 0; n < 4; n += 1) await api('POST', '/contacts', { email: `c${n}@mail.test` });
      const { text, seen } = await whole(format, 2);
      expect(seen.map(({ contacts, total }) => [contacts, total])).toEqual([
        [2, 5],
        [2, undefined],
        [1, undefined],
      ]);
      const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
      expect(await imported(text, '', type)).toMatchObject({ unchanged: 5, errors: 0 });
      account_id = newId();
      await define('plan', 'string');
      await define('score', 'number');
      await define('old', 'string');
      expect(await imported(text, '', type)).toMatchObject({ created: 5, errors: 0 });
      expect(await contact('rich@mail.test')).toMatchObject(rich);
    },
  );

  it('keeps values without a definition together in one column', async () => {
    await define('old', 'string');
    await api('POST', '/contacts', { email: 'a@mail.test', attributes: { old: 'kept' } });
    await marketing.internal('DELETE', `/operator/accounts/${account_id}/attributes/old`);
    const { text, keys, next } = await page('');
    expect([keys, next]).toEqual([[], null]);
    expect(text.split('\n')[1]).toMatch(
      /^a@mail\.test,.*,false,,"{""old"":""kept""}",unvalidated,,every,[\d-]{10}T[\d:.]+Z,[\da-f-]{36}$/,
    );
  });

  it('of an account without contacts has the names of the columns', async () => {
    await define('plan', 'string');
    const { text, total } = await page('');
    expect([text, total]).toEqual([
      'email,first_name,last_name,status,status_reason,unsubscribed,unsubscribed_at,attributes.plan,attributes,' +
        'validation_status,last_validated_at,preferences.frequency,created_at,id\n',
      0,
    ]);
    expect((await page('?after=x')).message).toBe('invalid cursor');
  });
});
