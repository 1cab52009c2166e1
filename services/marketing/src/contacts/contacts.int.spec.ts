import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startTestService, type TestRequest, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';
import { CONTACT_FIELDS } from './contact-fields.table.js';

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

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const contacts = (method: Method, rest = '', body?: unknown, more: TestRequest = {}) =>
  marketing.call(method, `/v2/accounts/${account_id}/contacts${rest}`, { account_id, body, ...more });
const create = async (body: object) => (await contacts('POST', '', body)).body;
const sql = (text: string, parameters: unknown[] = []) =>
  marketing.service.get(DataSource).query(text, parameters) as Promise<Record<string, any>[]>; // eslint-disable-line typescript/no-explicit-any
const attributes = (method: Method, rest = '', body?: object) =>
  marketing.internal(method, `/operator/accounts/${account_id}/attributes${rest}`, body, 'ann');
const define = async (types: Record<string, string>) => {
  for (const [key, type] of Object.entries(types)) {
    expect((await attributes('POST', '', { key, type })).status).toBe(201);
  }
};
const history = async (contactId: string) =>
  (
    await marketing.internal('GET', `/operator/accounts/${account_id}/contacts/${contactId}`)
  ).body.unsubscribes.map(({ unsubscribed, source }: Record<string, unknown>) => [unsubscribed, source]);

const ALL_TYPES = {
  plan: 'string',
  score: 'number',
  customer: 'boolean',
  birthday: 'date',
  joined: 'timestamp',
};

it('the table of fields names all columns of contacts with their types, but for the generated ones', async () => {
  const columns = await sql(
    `select column_name as name, udt_name as type from information_schema.columns
     where table_schema = current_schema() and table_name = 'contacts' and is_generated = 'NEVER'`,
  );
  const types = Object.entries(CONTACT_FIELDS).map(([name, { sql: type }]) => [name, type]);
  expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toEqual(
    Object.fromEntries(types),
  );
});

describe('POST …/contacts', () => {
  it('spec 3-marketing §1.1: a contact has all keys, and omitted fields are empty', async () => {
    const { status, body } = await contacts('POST', '', { email: ' Person@Example.COM\n' });
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'contact',
      id: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
      email: 'person@example.com',
      first_name: '',
      last_name: '',
      status: 'enabled',
      status_reason: '',
      unsubscribed: false,
      unsubscribed_at: null,
      attributes: {},
      validation_status: 'unvalidated',
      last_validated_at: null,
    });
    expect((await contacts('GET', `/${body.id}`)).body).toEqual(body);
    expect((await contacts('GET', '/PERSON%40example.com')).body).toEqual(body);
  });

  it('keeps given values, trimmed; null counts as omitted', async () => {
    await define(ALL_TYPES);
    const given = {
      email: 'a@mail.test',
      first_name: '  Zoë ',
      last_name: null,
      status: 'blocked',
      status_reason: ' rude ',
      unsubscribed: true,
      attributes: {
        plan: ' gold ',
        score: 12.5,
        customer: true,
        birthday: '2024-02-29',
        joined: '2026-09-09T12:04:56.120+02:00',
      },
    };
    expect(await create(given)).toMatchObject({
      ...given,
      first_name: 'Zoë',
      last_name: '',
      status_reason: 'rude',
      unsubscribed_at: expect.stringMatching(/Z$/),
      attributes: { ...given.attributes, joined: '2026-09-09T10:04:56.12Z' },
    });
    expect(
      await create({ email: 'b@mail.test', status: null, unsubscribed: null, attributes: null }),
    ).toMatchObject({ status: 'enabled', unsubscribed: false, unsubscribed_at: null, attributes: {} });
  });

  it.each<[string, unknown, string]>([
    ['an unknown field before all else', { nope: 1, email: 7 }, 'unknown field: nope'],
    ['a field that is only read', { email: 'a@mail.test', id: newId() }, 'unknown field: id'],
    ['a verdict', { email: 'a@mail.test', validation_status: 'valid' }, 'unknown field: validation_status'],
    ['no address', {}, 'email is required'],
    ['null as address', { email: null }, 'email must be a string'],
    [
      'two wrong fields, the first in the order of the table',
      { first_name: 1, email: 'x' },
      'email is not a valid email address',
    ],
    ['two wrong fields in that order', { email: 'x', last_name: 5 }, 'email is not a valid email address'],
    [
      '__proto__ among the attributes',
      JSON.parse('{"email":"a@mail.test","attributes":{"__proto__":1}}'),
      'unknown field: attributes.__proto__',
    ],
    ['an address without @', { email: 'mail.test' }, 'email is not a valid email address'],
    ['two @', { email: 'a@b@mail.test' }, 'email is not a valid email address'],
    ['one label', { email: 'a@mail' }, 'email is not a valid email address'],
    ['a long local part', { email: `${'a'.repeat(65)}@mail.test` }, 'email is not a valid email address'],
    [
      'a long name',
      { email: 'a@mail.test', last_name: 'é'.repeat(256) },
      'last_name must be at most 255 characters',
    ],
    [
      'a long reason',
      { email: 'a@mail.test', status_reason: 'x'.repeat(1_001) },
      'status_reason must be at most 1000 characters',
    ],
    [
      'another status',
      { email: 'a@mail.test', status: 'gone' },
      'status must be one of: enabled, disabled, blocked',
    ],
    ['no local part', { email: '@mail.test' }, 'email is not a valid email address'],
    [
      'an attribute that is not defined',
      { email: 'a@mail.test', attributes: { age: 1 } },
      'unknown attribute "age"',
    ],
    ['a list', [], 'invalid request body'],
    ['a text', 'text', 'invalid request body'],
  ])('spec 3-marketing §0 rule 4, §0 rule 6, §0 rule 10: with %s is 400', async (_, body, message) => {
    expect(await contacts('POST', '', body)).toMatchObject({ status: 400, body: { message } });
  });

  it('spec 3-marketing §0 rule 7: 255 characters are code points, without white space at both ends', async () => {
    expect((await create({ email: 'a@mail.test', first_name: '🙂'.repeat(255) })).first_name).toHaveLength(
      510,
    );
    expect(await contacts('POST', '', { email: 'b@mail.test', first_name: '🙂'.repeat(256) })).toMatchObject({
      status: 400,
      body: { message: 'first_name must be at most 255 characters' },
    });
    expect((await create({ email: 'b@mail.test', first_name: '\u2003 Zoë\u00a0' })).first_name).toBe('Zoë');
  });

  it('an address that the account has is 409, and another account’s is free', async () => {
    await create({ email: 'a@mail.test' });
    const again = await contacts('POST', '', { email: 'A@Mail.test' });
    expect(again).toMatchObject({
      status: 409,
      body: { message: 'a contact with this email address already exists' },
    });
    account_id = newId();
    expect((await contacts('POST', '', { email: 'a@mail.test' })).status).toBe(201);
  });

  it('with one address many times at once creates one contact', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => contacts('POST', '', { email: 'a@mail.test' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
  });

  it('spec 3-marketing §0 rule 9: is replayed by its key, the 409 too', async () => {
    const headers = { 'idempotency-key': newId() };
    const first = await contacts('POST', '', { email: 'a@mail.test' }, { headers });
    const replayed = await contacts('POST', '', { email: 'a@mail.test' }, { headers });
    expect([replayed.status, replayed.text, replayed.headers['idempotent-replayed']]).toEqual([
      201,
      first.text,
      'true',
    ]);
    const other = { 'idempotency-key': newId() };
    const taken = await contacts('POST', '', { email: 'a@mail.test' }, { headers: other });
    expect([taken.headers['idempotent-replayed'], taken.headers['retry-after']]).toEqual([
      undefined,
      undefined,
    ]);
    expect((await contacts('POST', '', { email: 'b@mail.test' }, { headers })).status).toBe(422);
    await contacts('DELETE', '/a@mail.test');
    expect((await contacts('POST', '', { email: 'a@mail.test' }, { headers: other })).text).toBe(taken.text);
    const third = { 'idempotency-key': newId() };
    expect((await contacts('POST', '', { email: 'a@mail.test' }, { headers: third })).status).toBe(201);
  });
});

describe('attributes', () => {
  it.each<[string, unknown, string]>([
    ['one that is not defined', { age: 1 }, 'unknown attribute "age"'],
    ['a key of every object', { constructor: 'x' }, 'unknown attribute "constructor"'],
    ['a number as text', { score: '5' }, 'attribute "score" must be a finite number'],
    ['a text as number', { plan: 5 }, 'attribute "plan" must be a string'],
    ['a flag as text', { customer: 'true' }, 'attribute "customer" must be a boolean'],
    ['no day', { birthday: '2023-02-29' }, 'attribute "birthday" must be a YYYY-MM-DD date'],
    [
      'a day and more',
      { birthday: '2024-02-29T00:00:00Z' },
      'attribute "birthday" must be a YYYY-MM-DD date',
    ],
    ['no time', { joined: 'yesterday' }, 'attribute "joined" must be a RFC 3339 timestamp'],
    ['an object', { plan: { a: 1 } }, 'attribute "plan" must be a string'],
    ['a long text', { plan: 'x'.repeat(1_001) }, 'attribute "plan" must be at most 1000 characters'],
    ['null', { plan: null }, 'attribute "plan" must not be null'],
    ['a list of them', [], 'attributes must be an object'],
  ])('spec 3-marketing §1.2 rule 2, §1.2 rule 3: %s is 400', async (_, given, message) => {
    await define(ALL_TYPES);
    const answer = await contacts('POST', '', { email: 'a@mail.test', attributes: given });
    expect(answer).toMatchObject({ status: 400, body: { message } });
  });

  it('spec 3-marketing §1.2 rule 2: a number that is not finite is 400', async () => {
    await define(ALL_TYPES);
    const text = '{"email":"a@mail.test","attributes":{"score":1e400}}';
    expect((await contacts('POST', '', undefined, { text })).body.message).toBe(
      'attribute "score" must be a finite number',
    );
  });

  it('spec 3-marketing §1.2 rule 1: are defined by operators, with a type that never changes, up to 100', async () => {
    await define({ plan: 'string' });
    expect((await attributes('POST', '', { key: 'plan', type: 'string' })).status).toBe(201);
    expect(await attributes('POST', '', { key: 'plan', type: 'number' })).toMatchObject({ status: 409 });
    for (const key of ['Plan', '1st', 'a'.repeat(65), '', 'a-b', 'email', 'unsubscribe_url']) {
      expect((await attributes('POST', '', { key, type: 'string' })).status, key).toBe(400);
    }
    expect((await attributes('POST', '', { key: 'x', type: 'text' })).status).toBe(400);
    await Promise.all(
      Array.from({ length: 105 }, (_, n) => attributes('POST', '', { key: `k${n}`, type: 'number' })),
    );
    const { data } = (await attributes('GET')).body;
    expect([data.length, data.at(-1)]).toEqual([
      100,
      { key: 'plan', type: 'string', created_at: expect.any(String) },
    ]);
  });

  it('spec 3-marketing §1.2 rule 4, §1.2 rule 5: stored values are read unchanged, also after their definition was deleted', async () => {
    await define({ plan: 'string', score: 'number' });
    const { id } = await create({ email: 'a@mail.test', attributes: { plan: 'gold', score: 1 } });
    await sql(
      `update contacts set attributes = attributes || '{"tree": {"leaf": [1, null]}}' where id = $1`,
      [id],
    );
    expect((await attributes('DELETE', '/plan')).status).toBe(200);
    expect((await attributes('DELETE', '/plan')).status).toBe(404);
    const stored = { plan: 'gold', score: 1, tree: { leaf: [1, null] } };
    expect((await contacts('GET', `/${id}`)).body.attributes).toEqual(stored);
    expect((await contacts('PUT', `/${id}`, { attributes: { plan: 'x' } })).body.message).toBe(
      'unknown attribute "plan"',
    );
    const { body } = await contacts('PUT', `/${id}`, { attributes: { plan: null, nothing: null, score: 2 } });
    expect(body.attributes).toEqual({ score: 2, tree: { leaf: [1, null] } });
  });
});

describe('PUT …/contacts/{id_or_email}', () => {
  it('changes given fields; null and omitted ones stay, and an empty body is no change', async () => {
    await define(ALL_TYPES);
    const before = await create({
      email: 'a@mail.test',
      first_name: 'Ann',
      attributes: { plan: 'gold', score: 1 },
    });
    for (const body of [
      {},
      { first_name: null, attributes: null },
      { first_name: 'Ann', attributes: { score: 1 } },
    ]) {
      expect((await contacts('PUT', `/${before.id}`, body)).body).toEqual(before);
    }
    const { status, body } = await contacts('PUT', '/A@MAIL.test', {
      first_name: '',
      status: 'disabled',
      attributes: { score: null, customer: false },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      first_name: '',
      status: 'disabled',
      attributes: { plan: 'gold', customer: false },
      updated_at: body.updated_at,
    });
    expect((await contacts('GET', `/${before.id}`)).body).toEqual(body);
  });

  it('a new address moves the contact, which is not validated then', async () => {
    const { id } = await create({ email: 'a@mail.test', unsubscribed: true });
    await sql(`update contacts set validation_status = 'invalid', last_validated_at = now() where id = $1`, [
      id,
    ]);
    await create({ email: 'b@mail.test' });
    expect(await contacts('PUT', `/${id}`, { email: 'B@mail.test' })).toMatchObject({
      status: 409,
      body: { message: 'a contact with this email address already exists' },
    });
    const same = (await contacts('PUT', `/${id}`, { email: 'A@mail.test' })).body;
    expect(same.validation_status).toBe('invalid');
    const { body } = await contacts('PUT', `/${id}`, { email: 'c@mail.test' });
    expect(body).toMatchObject({
      id,
      email: 'c@mail.test',
      validation_status: 'unvalidated',
      last_validated_at: null,
    });
    expect(await history(id)).toEqual([[true, 'account']]);
    expect((await contacts('GET', '/a@mail.test')).status).toBe(404);
  });

  it('each change of unsubscribed is recorded; the time is that of the first of consecutive ones', async () => {
    const { id } = await create({ email: 'a@mail.test' });
    const put = async (unsubscribed: boolean | null) =>
      (await contacts('PUT', `/${id}`, { unsubscribed })).body.unsubscribed_at;
    const first = await put(true);
    expect([await put(true), await put(null)]).toEqual([first, first]);
    expect(await put(false)).toBeNull();
    expect(await put(true)).not.toBeNull();
    expect(await put(false)).toBeNull();
    expect(await history(id)).toEqual([
      [false, 'account'],
      [true, 'account'],
      [false, 'account'],
      [true, 'account'],
    ]);
  });

  it('loses no change of two concurrent clients', async () => {
    await define({ a: 'number', b: 'number', c: 'number', d: 'number' });
    const { id } = await create({ email: 'a@mail.test' });
    const keys = ['a', 'b', 'c', 'd'];
    await Promise.all(keys.map((key) => contacts('PUT', `/${id}`, { attributes: { [key]: 1 } })));
    expect((await contacts('GET', `/${id}`)).body.attributes).toEqual({ a: 1, b: 1, c: 1, d: 1 });
  });

  it('spec 3-marketing §0 rule 11: is 404 for an unknown contact, for any form of the value', async () => {
    const other = await create({ email: 'a@mail.test' });
    account_id = newId();
    for (const value of [
      ...[newId(), other.id, 'a@mail.test', 'no-address', '%20', 'a@b@c', 'a%2Fb%40x.test', '%2525'],
      'x'.repeat(2_000),
    ]) {
      for (const method of ['GET', 'DELETE', 'PUT'] as const) {
        const answer = await contacts(method, `/${value}`, method === 'PUT' ? {} : undefined);
        expect(answer).toMatchObject({ status: 404, body: { message: 'contact not found' } });
      }
    }
    const own = await create({ email: 'a@mail.test' });
    expect((await contacts('GET', `/${own.id.toUpperCase()}`)).body).toEqual(own);
  });

  it('spec 3-marketing §0 rule 4: is 400 for its body before it is 404', async () => {
    expect((await contacts('PUT', `/${newId()}`, { nope: 1 })).body.message).toBe('unknown field: nope');
    const { id } = await create({ email: 'a@mail.test' });
    const judged = await contacts('PUT', `/${id}`, { validation_status: 'valid' });
    expect([judged.status, judged.body.message]).toEqual([400, 'unknown field: validation_status']);
  });
});

describe('GET …/contacts', () => {
  const emails = async (query: string) =>
    (await contacts('GET', query)).body.data.map(({ email }: { email: string }) => email.split('@')[0]);

  it('spec 3-marketing §0 rule 8: is newest first, narrowed by its filters, and pages both ways', async () => {
    for (const [name, more] of [
      ['a', {}],
      ['b', { unsubscribed: true }],
      ['c', { status: 'disabled' }],
      ['d', { status: 'blocked', unsubscribed: true }],
    ] as const) {
      await create({ email: `${name}@mail.test`, ...more });
    }
    const third = (await contacts('GET', '/c@mail.test')).body.created_at;
    expect(await emails('')).toEqual(['d', 'c', 'b', 'a']);
    expect(await emails('?email=%20B%40MAIL.test')).toEqual(['b']);
    expect(await emails('?email=%20')).toEqual(['d', 'c', 'b', 'a']);
    expect(await emails('?email=nobody')).toEqual([]);
    expect(await emails('?status=enabled')).toEqual(['b', 'a']);
    expect(await emails('?status=blocked')).toEqual(['d']);
    expect(await emails('?subscribed=true')).toEqual(['c', 'a']);
    expect(await emails('?subscribed=false&status=enabled')).toEqual(['b']);
    expect(await emails(`?from_time=${third}`)).toEqual(['d', 'c']);
    expect(await emails(`?to_time=${third}`)).toEqual(['c', 'b', 'a']);
    const first = (await contacts('GET', '?limit=2')).body.pagination;
    expect(first).toEqual({ has_more: true, next_cursor: expect.any(String), previous_cursor: null });
    const { data, pagination } = (await contacts('GET', `?limit=2&after=${first.next_cursor}`)).body;
    expect(data).toHaveLength(2);
    expect(pagination).toEqual({ has_more: false, next_cursor: null, previous_cursor: expect.any(String) });
    const before = `?limit=2&before=${pagination.previous_cursor}`;
    expect(await emails(before)).toEqual(['d', 'c']);
    expect((await contacts('GET', before)).body.pagination).toEqual({
      has_more: false,
      next_cursor: expect.any(String),
      previous_cursor: null,
    });
  });

  it.each([
    ['?status=gone', 'invalid status (one of enabled, disabled, blocked)'],
    ['?subscribed=1', 'invalid subscribed'],
    ['?from_time=now', 'invalid from_time, provide a valid RFC3339 time string'],
    ['?from_time=2026-01-02T00:00:00Z&to_time=2026-01-01T00:00:00Z', 'from_time must not be after to_time'],
    ['?after=x', 'invalid cursor'],
    ['?after=x&before=y', 'after and before are mutually exclusive'],
  ])('%s is 400', async (query, message) => {
    expect(await contacts('GET', query)).toMatchObject({ status: 400, body: { message } });
  });
});

describe('POST …/contacts/batch', () => {
  const batch = async (...data: unknown[]) => (await contacts('POST', '/batch', { data })).body;

  it('refuses an entry longer than any address before processing it, and does not repeat it', async () => {
    const entries = Array.from({ length: 1_000 }, (_, n) => ({ email: `${n}@${'A'.repeat(2_000)}.test` }));
    const result = await batch(...entries);
    expect(result).toMatchObject({ created: 0, updated: 0, failed: 1_000 });
    expect(result.data[7]).toEqual({
      position: 7,
      email: '',
      outcome: 'failed',
      reason: 'email is not a valid email address',
    });
    const wrong = await batch({ email: 'a@mail.test', ['x'.repeat(20_000)]: 1 });
    expect(wrong.data[0].reason).toBe(`unknown field: ${'x'.repeat(100)}…`);
  });

  it('spec 3-marketing §1.3 rule 1, §1.3 rule 2, §1.3 rule 3: creates, updates and fails entry by entry, in order', async () => {
    await define({ plan: 'string', score: 'number' });
    const known = await create({
      email: 'known@mail.test',
      first_name: 'Kay',
      attributes: { plan: 'a', score: 1 },
    });
    const result = await batch(
      { email: ' New@mail.test', unsubscribed: true, attributes: { plan: null, score: 2 } },
      { email: 'KNOWN@mail.test', last_name: 'Own', attributes: { plan: null, gone: null } },
      { email: 'twice@mail.test' },
      { email: 'bad' },
      { email: 'Twice@mail.test', first_name: 'T' },
      { email: 'x@mail.test', id: newId() },
      { email: 'y@mail.test', attributes: { age: 1 } },
      { email: 7 },
      'text',
      null,
    );
    expect([result.object, result.created, result.updated, result.failed]).toEqual(['list', 1, 1, 8]);
    expect(result.data.map((outcome: object) => ({ ...outcome, contact: undefined }))).toEqual([
      { position: 0, email: 'new@mail.test', outcome: 'created' },
      { position: 1, email: 'known@mail.test', outcome: 'updated' },
      { position: 2, email: 'twice@mail.test', outcome: 'failed', reason: 'duplicate email in this batch' },
      { position: 3, email: 'bad', outcome: 'failed', reason: 'email is not a valid email address' },
      { position: 4, email: 'twice@mail.test', outcome: 'failed', reason: 'duplicate email in this batch' },
      { position: 5, email: 'x@mail.test', outcome: 'failed', reason: 'unknown field: id' },
      { position: 6, email: 'y@mail.test', outcome: 'failed', reason: 'unknown attribute "age"' },
      { position: 7, email: '', outcome: 'failed', reason: 'email must be a string' },
      { position: 8, email: '', outcome: 'failed', reason: 'invalid request body' },
      { position: 9, email: '', outcome: 'failed', reason: 'invalid request body' },
    ]);
    expect(result.data[0].contact).toMatchObject({ unsubscribed: true, attributes: { score: 2 } });
    expect(result.data[1].contact).toMatchObject({
      id: known.id,
      first_name: 'Kay',
      last_name: 'Own',
      attributes: { score: 1 },
    });
    for (const { contact } of result.data.slice(0, 2)) {
      expect((await contacts('GET', `/${contact.id}`)).body).toEqual(contact);
    }
    expect(await history(result.data[0].contact.id)).toEqual([[true, 'account']]);
    expect((await contacts('GET', '/twice@mail.test')).status).toBe(404);
  });

  it('spec 3-marketing §1.3 rule 4: reports updated also when nothing changed', async () => {
    const known = await create({ email: 'a@mail.test' });
    const { updated, data } = await batch({ email: 'a@mail.test' });
    expect([updated, data[0].contact]).toEqual([1, known]);
  });

  it.each<[unknown, string]>([
    [{}, 'data is required'],
    [{ data: [] }, 'data must have at least 1 items'],
    [{ data: {} }, 'data must be an array'],
    [{ data: Array<object>(1_001).fill({}) }, 'data must have at most 1000 items'],
    [{ data: [{}], more: 1 }, 'unknown field: more'],
  ])('spec 3-marketing §1.3 rule 1: of %o is 400', async (body, message) => {
    expect(await contacts('POST', '/batch', body)).toMatchObject({ status: 400, body: { message } });
  });

  it('spec 3-marketing §1.3 rule 3: of 1,000 is one transaction with the stored replay, and few statements', async () => {
    const data = Array.from({ length: 1_000 }, (_, n) => ({ email: `n${n}@mail.test` }));
    const headers = { 'idempotency-key': newId() };
    const first = await contacts('POST', '/batch', { data }, { headers });
    expect([first.status, first.body.created]).toEqual([200, 1_000]);
    const again = await contacts('POST', '/batch', { data }, { headers });
    expect([again.headers['idempotent-replayed'], again.text]).toEqual(['true', first.text]);
    expect((await contacts('POST', '/batch', { data })).body.updated).toBe(1_000);
  });

  it('with the same addresses, many at once and with concurrent creates, all succeed', async () => {
    const addresses = Array.from({ length: 200 }, (_, n) => `n${n}@mail.test`);
    const some = [addresses, addresses.toReversed(), addresses.slice(50), addresses.toReversed().slice(20)];
    const batches = Promise.all(
      some.map((list, n) => batch(...list.map((email) => ({ email, first_name: `b${n}` })))),
    );
    const singles = Promise.all(addresses.slice(0, 60).map((email) => contacts('POST', '', { email })));
    for (const { failed } of await batches) expect(failed).toBe(0);
    for (const { status } of await singles) expect([201, 409]).toContain(status);
    const [row] = await sql('select count(*)::int as count from contacts where account_id = $1', [
      account_id,
    ]);
    expect(row?.['count']).toBe(200);
  });
});

describe('spec 3-marketing §1.5: a deleted contact', () => {
  /** A contact on two lists, in a waiting campaign and in a sent one. */
  async function contactWithEverything() {
    const email = 'user+tag@mail.test';
    const { id } = await create({ email, unsubscribed: true });
    await contacts('PUT', `/${id}`, { unsubscribed: false });
    const [list = '', complained = '', running = '', sent = ''] = Array.from({ length: 4 }, () => newId());
    await sql(
      `insert into lists (id, account_id, created_at, updated_at, name, description, tags)
       select id, $2, now(), now(), 'List', '', '{}' from unnest($1::uuid[]) as given(id)`,
      [[list, complained], account_id],
    );
    await sql(
      `insert into memberships (list_id, contact_id, account_id, subscription_status, created_at, updated_at)
       values ($1, $3, $4, 'confirmed', now(), now()), ($2, $3, $4, 'complained', now(), now())`,
      [list, complained, id, account_id],
    );
    for (const [campaign, status, recipient, message] of [
      [running, 'paused', 'pending', null],
      [sent, 'sent', 'delivered', newId()],
    ]) {
      await sql(
        `insert into campaigns (id, account_id, created_at, updated_at, name, status)
         values ($1, $2, now(), now(), 'Campaign', $3)`,
        [campaign, account_id, status],
      );
      await sql(
        `insert into campaign_recipients (campaign_id, position, contact_id, account_id, email, list_ids, status,
           message_id, sent_at) values ($1, 0, $2, $3, $4, $5, $6, $7, case when $7::uuid is not null then now() end)`,
        [campaign, id, account_id, email, [list], recipient, message],
      );
      await sql(`insert into campaign_counts (campaign_id, updated_at, ${recipient}) values ($1, now(), 1)`, [
        campaign,
      ]);
    }
    return { id, email, list, running, sent };
  }
  const get = async (path: string) =>
    (await marketing.call('GET', `/v2/accounts/${account_id}/${path}`, { account_id })).body;

  it('spec 3-marketing §1.5 C1, C2, C4, C5, C6, C7, §0 rule 12: is deleted with all of its data', async () => {
    const { id, email, list, running, sent } = await contactWithEverything();
    expect((await get(`lists/${list}`)).contact_count).toBe(1);
    const path = `/${encodeURIComponent(email.toUpperCase())}`;
    expect(await contacts('DELETE', path)).toMatchObject({
      status: 200,
      body: { message: `contact ${id} (${email}) deleted successfully` },
    });
    for (const [method, rest] of [
      ['GET', `/${id}`],
      ['GET', path],
      ['DELETE', path],
      ['DELETE', `/${id}`],
    ] as const) {
      expect(await contacts(method, rest)).toMatchObject({
        status: 404,
        body: { message: 'contact not found' },
      });
    }
    expect((await get(`lists/${list}`)).contact_count).toBe(0);
    for (const table of ['memberships', 'contact_unsubscribes', 'campaign_recipients', 'campaign_fetches']) {
      expect(await sql(`select from ${table} where contact_id = $1`, [id])).toEqual([]);
    }
    expect(await get(`campaigns/${running}/stats`)).toMatchObject({ pending: 0, skipped: 1, delivered: 0 });
    expect(await get(`campaigns/${sent}/stats`)).toMatchObject({ pending: 0, skipped: 0, delivered: 1 });
    expect((await get(`campaigns/${sent}/recipients`)).data).toEqual([]);
    // the kept row of a message in flight does not identify its recipient
    expect(
      await sql('select status from campaign_forgotten_messages where campaign_id = $1', [sent]),
    ).toEqual([{ status: 'delivered' }]);
    const again = await create({ email });
    expect(again).toMatchObject({ email, unsubscribed: false, unsubscribed_at: null });
    expect(again.id).not.toBe(id);
    expect(await history(again.id)).toEqual([]);
    expect((await get(`contacts/${again.id}/lists`)).data).toEqual([]);
  });
});
