import { DomainChanged } from '@postmesh/domains-contract';
import { newId } from '@postmesh/contracts';
import { deliver, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { FirstAccount } from '../first-account/first-account.js';
import { MAX_SMTP_CREDENTIALS } from './smtp-credential.rules.js';

const database = testDatabase();
/** domains of the account, with their ids */
const owned = new Map(['a.test', 'b.test', 'c.test'].map((domain) => [domain, newId()]));
let accounts: TestService;
let account: string;

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    neighbours: {
      domains: ({ path, body }) => {
        const own = path === `/internal/accounts/${account}/domains/find`;
        const found = (body as { domains: string[] }).domains.flatMap((domain) => {
          const id = owned.get(domain);
          return own && id ? [{ domain_id: id, domain }] : [];
        });
        return { status: 200, body: found };
      },
    },
  });
  account = (await accounts.service.get(FirstAccount).create()).account_id;
});
afterAll(() => accounts.stop());

const on = (action: string, ...domains: string[]) =>
  domains.map((domain) => `smtp-credentials:${action}:{${domain}}`);
const call = (method: 'GET' | 'POST' | 'DELETE', rest = '', more: object = {}) =>
  accounts.call(method, `/v2/accounts/${account}/smtp-credentials${rest}`, { account_id: account, ...more });
const create = (body: object = {}, more: object = {}) =>
  call('POST', '', { body: { name: 'Shop', scope: 'global', ...body }, ...more });
const scoped = (...domains: string[]) => create({ scope: 'scoped', domains });
const sql = (text: string, parameters: unknown[] = []) =>
  accounts.service.get(DataSource).query(text, parameters);
const namesOf = (list: { body: { data: { name: string }[] } }) => list.body.data.map(({ name }) => name);

describe('§12 create', () => {
  it('shows the password once and keeps only its hash', async () => {
    const made = await create({
      name: '  Shop 1 ',
      scope: 'scoped',
      domains: [' B.test.', 'a.test', 'b.test'],
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      object: 'credential_smtp',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/Z$/),
      updated_at: made.body.created_at,
      name: 'Shop 1',
      username: expect.stringMatching(/^smtp-[a-z0-9]{20}$/),
      sandbox: false,
      scope: 'scoped',
      domains: ['b.test', 'a.test'],
      password: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
    });
    const { password, ...rest } = made.body;
    const [everything] = await sql(
      `select (select json_agg(c)::text from smtp_credentials c) ||
         (select json_agg(a)::text from audit_entries a) ||
         coalesce((select json_agg(i)::text from idempotency i), '') as all`,
    );
    expect(everything.all).toContain(rest.username);
    expect(everything.all).not.toContain(password);
    expect((await call('GET', `/${rest.id}`)).body).toEqual(rest);
    const [entry] = await sql(
      `select actor_kind, details from audit_entries where action = 'smtp-credential.create' and subject_id = $1`,
      [rest.id],
    );
    expect(entry).toEqual({
      actor_kind: 'api-key',
      details: {
        name: 'Shop 1',
        username: rest.username,
        scope: 'scoped',
        sandbox: false,
        domains: ['b.test', 'a.test'],
      },
    });
  });

  it('replays the password for the same idempotency key; it is stored encrypted', async () => {
    const headers = { 'idempotency-key': newId() };
    const first = await create({}, { headers });
    const again = await create({}, { headers });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const [{ stored }] = await sql('select i::text as stored from idempotency i where key = $1', [
      headers['idempotency-key'],
    ]);
    expect(stored).not.toContain(first.body.password);
    expect(stored).not.toContain(Buffer.from(first.body.password).toString('hex'));
    const narrow = await create({}, { headers, scopes: on('write', 'a.test') });
    expect(narrow.status).toBe(403);
  });

  it.each([
    [{ name: undefined }, 'name is required'],
    [{ name: '  ' }, 'name must not be empty'],
    [{ name: 'é'.repeat(256) }, 'name must be at most 255 characters'],
    [{ name: 'a\u0000' }, 'name must not contain control characters'],
    [{ scope: undefined }, 'scope is required'],
    [{ scope: 'all' }, 'scope must be one of: global, scoped'],
    [{ sandbox: 'true' }, 'sandbox must be a boolean'],
    [{ domains: 'a.test' }, 'domains must be an array'],
    [{ scope: 'scoped' }, 'domains is required when scope is scoped'],
    [{ scope: 'scoped', domains: null }, 'domains is required when scope is scoped'],
    [{ scope: 'scoped', domains: [] }, 'domains is required when scope is scoped'],
    [{ scope: 'scoped', domains: ['a.test', 7] }, 'domains[1] must be a string'],
    [{ scope: 'scoped', domains: ['a.test', 'Other.test'] }, 'domain not found: other.test'],
    [{ scope: 'scoped', domains: ['nonsense'] }, 'domain not found: nonsense'],
    [{ scope: 'scoped', domains: ['a\u0000'] }, 'domain not found: a\u0000'],
    [{ username: 'mine' }, 'username is not writable'],
    [{ password: 'mine' }, 'password is not writable'],
    [{ label: 'x' }, 'unknown field: label'],
  ])('refuses %j', async (body, message) => {
    const refused = await create(body);
    expect([refused.status, refused.body]).toEqual([400, { message }]);
  });

  it('checks shape, then scopes, then existence', async () => {
    const scopes = on('write', 'a.test');
    const status = async (body: object) => (await create(body, { scopes })).status;
    expect(await status({ scope: 'scoped', domains: [] })).toBe(400);
    expect(await status({ scope: 'scoped', domains: ['unknown.test'] })).toBe(403);
    expect(await status({ scope: 'global', domains: ['a.test'] })).toBe(403);
    expect(await status({ scope: 'scoped', domains: ['a.test'] })).toBe(201);
    expect((await create({}, { scopes: ['smtp-credentials:read:all'] })).body).toEqual({
      message: 'api key does not have sufficient permissions to write smtp credentials',
    });
  });

  it('refuses a domain that is deleted between the question and the row', async () => {
    const id = newId();
    owned.set('gone.test', id);
    await sql('insert into deleted_domains (domain_id) values ($1)', [id]);
    const refused = await scoped('gone.test');
    expect([refused.status, refused.body]).toEqual([400, { message: 'domain not found: gone.test' }]);
    owned.delete('gone.test');
  });

  it('stops at the limit, also for concurrent requests', async () => {
    const other = await accounts.internal('POST', '/operator/accounts', {
      name: 'Crowded',
      owner_email: 'crowd@mail.test',
    });
    const id = other.body.id as string;
    await sql(
      `insert into smtp_credentials (id, account_id, name, username, password_hash, pepper_id, sandbox, scope, created_at, updated_at)
       select gen_random_uuid(), $1, 'n', 'crowd-' || n, decode(md5(n::text), 'hex'), 'x', false, 'global', now(), now()
       from generate_series(1, $2::int) n`,
      [id, MAX_SMTP_CREDENTIALS - 1],
    );
    const path = `/v2/accounts/${id}/smtp-credentials`;
    const tries = [1, 2, 3].map(() =>
      accounts.call('POST', path, { account_id: id, body: { name: 'n', scope: 'global' } }),
    );
    const answers = await Promise.all(tries);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      message: 'an account can have at most 1000 smtp credentials',
    });
  });
});

describe('§12 list, get, delete', () => {
  beforeAll(async () => {
    await sql('delete from smtp_credentials where account_id = $1', [account]);
    for (const [name, domains] of [
      ['1', undefined],
      ['2', ['a.test']],
      ['3', ['a.test', 'b.test']],
      ['4', ['c.test']],
    ] as const) {
      await create(domains ? { name, scope: 'scoped', domains: [...domains] } : { name });
    }
  });

  it('lists all for :all, newest first, and for domain scopes those with one of their domains, never global ones', async () => {
    expect(namesOf(await call('GET'))).toEqual(['4', '3', '2', '1']);
    expect(namesOf(await call('GET', '', { scopes: on('read', 'a.test') }))).toEqual(['3', '2']);
    expect(namesOf(await call('GET', '', { scopes: on('read', 'b.test', 'c.test') }))).toEqual(['4', '3']);
    expect(namesOf(await call('GET', '', { scopes: on('read', 'x.test') }))).toEqual([]);
    expect((await call('GET', '', { scopes: on('write', 'a.test') })).status).toBe(403);
    expect(JSON.stringify((await call('GET')).body)).not.toContain('password');
  });

  it('pages the visible ones', async () => {
    const scopes = on('read', 'a.test');
    const first = await call('GET', '?limit=1&cursor=&before=', { scopes });
    expect([namesOf(first), first.body.pagination.has_more]).toEqual([['3'], true]);
    const rest = await call('GET', `?limit=1&after=${first.body.pagination.next_cursor}`, { scopes });
    expect([namesOf(rest), rest.body.pagination.has_more]).toEqual([['2'], false]);
  });

  it.each(['GET', 'DELETE'] as const)('%s: no scope 403, no row 404, another domain 403', async (method) => {
    const action = method === 'GET' ? 'read' : 'delete';
    const refused = {
      status: 403,
      body: { message: `api key does not have sufficient permissions to ${action} smtp credentials` },
    };
    const { id } = (await scoped('b.test')).body;
    const global = (await create()).body.id;
    expect(await call(method, `/${newId()}`, { scopes: ['lists:read'] })).toMatchObject(refused);
    expect(await call(method, `/${newId()}`, { scopes: on(action, 'a.test') })).toMatchObject({
      status: 404,
      body: { message: 'smtp credential not found' },
    });
    expect(await call(method, `/${id}`, { scopes: on(action, 'a.test') })).toMatchObject(refused);
    expect(await call(method, `/${global}`, { scopes: on(action, 'b.test') })).toMatchObject(refused);
    expect((await call(method, '/nonsense')).body).toEqual({ message: 'invalid smtp_credential_id' });
    expect((await call(method, `/${id}`, { scopes: on(action, 'a.test', 'b.test') })).status).toBe(200);
    expect((await call(method, `/${global}`)).status).toBe(200);
  });

  it('a deleted one is 404 afterwards, with an audit entry', async () => {
    const { id, username } = (await scoped('a.test')).body;
    expect((await call('DELETE', `/${id}`)).body).toEqual({
      message: 'smtp credential deleted successfully',
    });
    expect((await call('DELETE', `/${id}`)).status).toBe(404);
    const entries = await sql(
      `select details from audit_entries where action = 'smtp-credential.delete' and subject_id = $1`,
      [id],
    );
    expect(entries).toEqual([{ details: { name: 'Shop', username } }]);
  });

  it('of another account is not found', async () => {
    const { id } = (await create()).body;
    const path = `/v2/accounts/${accounts.accountId}/smtp-credentials/${id}`;
    expect((await accounts.call('GET', path)).status).toBe(404);
  });
});

describe('a deleted domain', () => {
  it('leaves the credentials that name it; one that is left with none stays scoped', async () => {
    const one = (await scoped('a.test')).body;
    const two = (await scoped('b.test', 'a.test')).body;
    await deleteDomain('a.test');
    const read = async (id: string) => (await call('GET', `/${id}`)).body;
    expect(await read(one.id)).toMatchObject({ scope: 'scoped', domains: [] });
    expect(await read(two.id)).toMatchObject({ scope: 'scoped', domains: ['b.test'] });
    expect((await read(two.id)).updated_at > two.updated_at).toBe(true);
    const reader = { scopes: on('read', 'a.test', 'b.test') };
    expect((await call('GET', `/${one.id}`, reader)).status).toBe(403);
    expect((await call('GET', `/${two.id}`, reader)).status).toBe(200);
    const entries = await sql(
      `select actor_kind, details from audit_entries where action = 'smtp-credential.lose-domains' and subject_id = $1`,
      [two.id],
    );
    expect(entries).toEqual([
      { actor_kind: 'system', details: { domains: ['a.test'], because: 'domain deleted' } },
    ]);
  });
});

function deleteDomain(domain: string): Promise<void> {
  const deleted = {
    domain_id: owned.get(domain) ?? '',
    account_id: account,
    domain,
    dns_valid: false,
    paused: false,
    deleted: true,
    sending_type: 'transactional' as const,
    return_path_host: null,
    tracking_host: null,
    revision: 2,
  };
  return deliver(accounts.service, [DomainChanged.make(deleted, { account_id: account })]);
}
