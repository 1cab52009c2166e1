import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  uniqueDomain,
  UUID_V7,
  type Account,
  type ApiKey,
  type HttpResponse,
} from './harness.js';

const postmesh = sharedInstallation();
const PATH = '{A}/smtp-credentials';
const NONE = '0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d';

let account: Account;
let one: string;
let two: string;
beforeAll(async () => {
  account = await postmesh.newAccount();
  [one, two] = [await newDomain(), await newDomain()];
});

async function newDomain(of = account): Promise<string> {
  const domain = uniqueDomain();
  expect((await postmesh.api(of.key, 'POST', '{A}/domains', { body: { domain } })).status).toBe(201);
  return domain;
}

const keyWith = (...scopes: string[]) =>
  postmesh.newKey(account, { scopes: scopes.map((scope) => `smtp-credentials:${scope}`) });
const create = (body: object, key: ApiKey = account.key) =>
  postmesh.api(key, 'POST', PATH, { body: { name: 'n', scope: 'global', ...body } });
const scopedTo = (...domains: string[]) => ({ scope: 'scoped', domains });
const get = (id: string, key: ApiKey = account.key) => postmesh.api(key, 'GET', `${PATH}/${id}`);
const remove = (id: string, key: ApiKey = account.key) => postmesh.api(key, 'DELETE', `${PATH}/${id}`);
const idOf = async (made: Promise<HttpResponse>): Promise<string> => {
  const { status, body } = await made;
  expect(status).toBe(201);
  return body.id;
};
const lacks = (action: string) =>
  `api key does not have sufficient permissions to ${action} smtp credentials`;

describe('§12 resource', () => {
  it('§12 create answers every field of the table and the password, which nothing else shows', async () => {
    const made = await create({ name: `  ${'é'.repeat(255)} `, ...scopedTo(two, one) });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      object: 'credential_smtp',
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      name: 'é'.repeat(255),
      username: expect.stringMatching(/^smtp-[a-z0-9]{20}$/),
      sandbox: false,
      scope: 'scoped',
      domains: [two, one],
      password: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
    });
    const { password, ...shown } = made.body;
    expect((await get(shown.id)).body).toEqual(shown);
    const list = await postmesh.api(account.key, 'GET', PATH);
    expect(list.body.data).toContainEqual(shown);
    expect(list.bytes.toString()).not.toContain('password');
    const [row] = await postmesh.sql<{ text: string; hash: Buffer }>(
      `select c::text as text, password_hash as hash from accounts.smtp_credentials c where id = $1`,
      [shown.id],
    );
    expect(row?.text).not.toContain(password);
    expect(row?.hash).toHaveLength(32);
  });

  it('§12 create: a global one has no domains, whatever is named, and sandbox is as given', async () => {
    for (const domains of [undefined, null, [], [one], ['unknown.test', 'no name', '']]) {
      const made = await create({ domains, sandbox: true });
      expect([made.status, made.body.scope, made.body.domains, made.body.sandbox]).toEqual([
        201,
        'global',
        [],
        true,
      ]);
    }
  });

  it('§12 create: usernames and passwords are never the same', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'same' })));
    expect(new Set(made.map(({ body }) => body.username)).size).toBe(10);
    expect(new Set(made.map(({ body }) => body.password)).size).toBe(10);
  });
});

describe('§12 create', () => {
  it.each<[object, string]>([
    [{ name: undefined }, 'name is required'],
    [{ name: ' ' }, 'name must not be empty'],
    [{ name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
    [{ scope: undefined }, 'scope is required'],
    [{ scope: 'domain' }, 'scope must be one of: global, scoped'],
    [{ sandbox: 1 }, 'sandbox must be a boolean'],
    [{ scope: 'scoped' }, 'domains is required when scope is scoped'],
    [scopedTo(), 'domains is required when scope is scoped'],
    [{ scope: 'scoped', domains: null }, 'domains is required when scope is scoped'],
    [scopedTo('unknown.test'), 'domain not found: unknown.test'],
    [scopedTo('Unknown.TEST.'), 'domain not found: unknown.test'],
    [scopedTo('nonsense'), 'domain not found: nonsense'],
    [{ username: 'mine' }, 'username is not writable'],
    [{ password: 'mine' }, 'password is not writable'],
    [{ enabled: true }, 'unknown field: enabled'],
  ])('§12 create refuses case %#: %j', async (body, message) => {
    expectError(await create(body), 400, message);
  });

  it('§12 create: domains are normalised, and merged', async () => {
    const made = await create(scopedTo(` ${one.toUpperCase()}. `, one, two));
    expect([made.status, made.body.domains]).toEqual([201, [one, two]]);
  });

  it("§12 create: another account's domain is not found", async () => {
    const theirs = await newDomain(await postmesh.newAccount());
    expectError(await create(scopedTo(one, theirs)), 400, `domain not found: ${theirs}`);
  });

  it('§12 create checks shape, then the scope of every domain, then whether they exist', async () => {
    const key = await keyWith(`write:{${one}}`);
    expectError(await create({ scope: 'scoped' }, key), 400, 'domains is required when scope is scoped');
    expectError(await create(scopedTo(one, 'unknown.test'), key), 403, lacks('write'));
    expectError(await create({ domains: [one] }, key), 403, lacks('write'));
    expect((await create(scopedTo(one), key)).status).toBe(201);
    expectError(await create(scopedTo(one), await keyWith('read:all')), 403, lacks('write'));
    const both = await keyWith(`write:{${one}}`, `write:{${two}}`);
    expect((await create(scopedTo(two, one), both)).status).toBe(201);
  });

  it('§12 create is idempotent for 24 hours: a retry gets the same password, a weaker key does not', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const body = { name: 'n', ...scopedTo(one) };
    const post = (key: ApiKey) => postmesh.api(key, 'POST', PATH, { body, headers });
    const first = await post(account.key);
    const again = await post(account.key);
    expect([again.status, again.bytes.toString()]).toEqual([201, first.bytes.toString()]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectError(await post(await keyWith(`write:{${two}}`)), 403, lacks('write'));
    expect((await post(await keyWith(`write:{${one}}`))).body.password).toBe(first.body.password);
    const stored = await postmesh.sql<{ text: string }>(
      'select i::text as text from accounts.idempotency i where key = $1',
      [headers['idempotency-key']],
    );
    expect(stored).toHaveLength(1);
    expect(stored[0]?.text).not.toContain(Buffer.from(first.body.password).toString('hex'));
  });
});

describe('§12 list, get and delete', () => {
  it('§12 list: :all sees all, domain scopes see credentials with one of their domains, never global ones', async () => {
    const own = await postmesh.newAccount();
    const [a, b] = [await newDomain(own), await newDomain(own)];
    const ids: string[] = [];
    for (const body of [{}, scopedTo(a), scopedTo(b), scopedTo(b, a)]) {
      ids.unshift(await idOf(create(body, own.key)));
    }
    const list = async (scope: string, query = '') => {
      const key = await postmesh.newKey(own, { scopes: [`smtp-credentials:read:${scope}`] });
      const { status, body } = await postmesh.api(key, 'GET', `${PATH}?${query}`);
      return [status, body.data.map(({ id }: { id: string }) => id), body.pagination.has_more];
    };
    expect(await list('all')).toEqual([200, ids, false]);
    expect(await list(`{${a}}`)).toEqual([200, [ids[0], ids[2]], false]);
    expect(await list(`{${a}}`, 'limit=1&after=&before=&cursor=')).toEqual([200, [ids[0]], true]);
    const unused = await newDomain(own);
    expect(await list(`{${unused}}`)).toEqual([200, [], false]);
  });

  it('§12 get and delete: one of the domains is enough, a global one needs :all', async () => {
    const key = await keyWith(`read:{${one}}`, `delete:{${one}}`);
    for (const [body, allowed] of [
      [{}, false],
      [scopedTo(two), false],
      [scopedTo(two, one), true],
    ] as const) {
      const id = await idOf(create(body));
      const [read, deleted] = [await get(id, key), await remove(id, key)];
      if (!allowed) {
        expectError(read, 403, lacks('read'));
        expectError(deleted, 403, lacks('delete'));
        expect((await remove(id)).status).toBe(200);
      } else {
        expect([read.status, deleted.status]).toEqual([200, 200]);
      }
      expectError(await get(id), 404, 'smtp credential not found');
    }
    expectError(await get(NONE, key), 404, 'smtp credential not found');
    expectError(await remove(NONE, key), 404, 'smtp credential not found');
  });

  it('§12 delete answers a message once, then 404', async () => {
    const id = await idOf(create({}));
    const deleted = await remove(id);
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { message: 'smtp credential deleted successfully' },
    ]);
    expectError(await remove(id), 404, 'smtp credential not found');
  });

  it('§12 there is no update', async () => {
    const id = await idOf(create({}));
    const response = await postmesh.api(account.key, 'PUT', `${PATH}/${id}`, { body: { name: 'x' } });
    expect([response.status, response.headers['allow']]).toEqual([405, 'GET, DELETE']);
  });

  it('§12 a deleted domain leaves its credentials; a scoped one without any stays scoped, for :all alone', async () => {
    const gone = await newDomain();
    const [alone, withOther] = [await idOf(create(scopedTo(gone))), await idOf(create(scopedTo(gone, one)))];
    const reader = await keyWith(`read:{${one}}`);
    expect((await postmesh.api(account.key, 'DELETE', `{A}/domains/${gone}`)).status).toBe(200);
    await eventually(async () => (await get(alone)).body).toMatchObject({ scope: 'scoped', domains: [] });
    await eventually(async () => (await get(withOther)).body).toMatchObject({ domains: [one] });
    expectError(await get(alone, reader), 403, lacks('read'));
    expect((await get(withOther, reader)).status).toBe(200);
  });

  it('§12 a domain that is made again is another one: old credentials do not cover it', async () => {
    const name = await newDomain();
    const id = await idOf(create(scopedTo(name)));
    expect((await postmesh.api(account.key, 'DELETE', `{A}/domains/${name}`)).status).toBe(200);
    const again = await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: name } });
    expect(again.status).toBe(201);
    await eventually(async () => (await get(id)).body.domains).toEqual([]);
    expect((await create(scopedTo(name))).body.domains).toEqual([name]);
  });
});
