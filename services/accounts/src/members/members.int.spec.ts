import { AccountId, newId } from '@postmesh/contracts';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { ReceivedMail } from '../testing/received-mail.js';
import { ChangeMember } from './change-member.js';

const database = testDatabase();
let accounts: TestService;
let mail: ReceivedMail;
let counted = 0;

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    settings: { baseUrl: 'https://mail.example' },
  });
  mail = await ReceivedMail.of(accounts);
});
afterAll(() => accounts.stop());

const address = (who = 'ann') => `${who}-${(counted += 1)}@mail.test`;
const sql = (text: string, parameters: unknown[] = []) =>
  accounts.service.get(DataSource).query(text, parameters);

async function newAccount(name = 'Shop'): Promise<{ id: string; owner: string }> {
  const { body } = await accounts.internal('POST', '/operator/accounts', {
    name,
    owner_email: address('owner'),
  });
  const [row] = await sql('select owner_id from accounts where id = $1', [body.id]);
  return { id: body.id, owner: row.owner_id };
}

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', id: string, rest = '', more: object = {}) =>
  accounts.call(method, `/v2/accounts/${id}/members${rest}`, { account_id: id, ...more });
const add = (id: string, body: object, more: object = {}) =>
  call('POST', id, '', { body: { role: 'Developer', ...body }, ...more });

describe('§8 list members', () => {
  it('lists the owner and all others, oldest first', async () => {
    const { id, owner } = await newAccount();
    const ann = (await add(id, { email: address() })).body;
    const bob = (await add(id, { email: address('bob'), role: 'Billing Manager' })).body;
    const { status, body } = await call('GET', id);
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'list',
      data: [
        {
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
          user_id: owner,
          account_id: id,
          role: 'Administrator',
        },
        ann,
        bob,
      ],
    });
  });
});

describe('§8 add a member', () => {
  it('1. makes the user and invites them', async () => {
    const { id } = await newAccount('Ann & <Sons>');
    const email = address();
    const added = await add(id, { email: ` ${email.toUpperCase()} `, name: ' Ann ' });
    expect(added.status).toBe(201);
    expect(added.body).toEqual({
      created_at: expect.stringMatching(/Z$/),
      updated_at: added.body.created_at,
      // random: the id has no time that reveals when the address became known
      user_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f-]{16}$/),
      account_id: id,
      role: 'Developer',
    });
    expect(await sql('select id, name from users where email = $1', [email])).toEqual([
      { id: added.body.user_id, name: 'Ann' },
    ]);
    const [message] = await mail.expect(id, 'invitation', 1);
    expect(message).toMatchObject({
      recipients: [{ email, name: 'Ann' }],
      subject: 'You have been invited to Ann & <Sons>',
    });
    expect(message?.text).toContain('Account: Ann & <Sons>\nYour role: Developer\nAPI: https://mail.example');
    expect(message?.html).toContain('<td>Ann &amp; &lt;Sons&gt;</td>');
  });

  it('1. mails a notice to an existing user, and keeps their name', async () => {
    const [first, second] = [await newAccount('One'), await newAccount('Two')];
    const email = address();
    const one = await add(first.id, { email, name: 'Ann' });
    const two = await add(second.id, { email, name: 'Somebody else', role: 'Analyst' });
    expect(two.body.user_id).toBe(one.body.user_id);
    const [message] = await mail.expect(second.id, 'membership', 1);
    expect(message).toMatchObject({
      recipients: [{ email, name: 'Ann' }],
      subject: 'You are now a member of Two',
    });
    await mail.expect(second.id, 'invitation', 0);
  });

  it('2. refuses a member, in any spelling', async () => {
    const { id } = await newAccount();
    const email = address();
    await add(id, { email });
    const again = await add(id, { email: email.replace('ann', 'ANN') });
    expect([again.status, again.body]).toEqual([
      409,
      { message: 'user is already a member of this account' },
    ]);
  });

  it('2. one of 20 concurrent additions of the same address succeeds, also of a new user', async () => {
    const { id } = await newAccount();
    const email = address();
    const answers = await Promise.all(Array.from({ length: 20 }, () => add(id, { email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    expect((await call('GET', id)).body.data).toHaveLength(2);
    await mail.expect(id, 'invitation', 1);
  });

  it('adds one new user to many accounts at once', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => newAccount()));
    const email = address();
    const answers = await Promise.all(all.map(({ id }) => add(id, { email })));
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.user_id)).size).toBe(1);
  });

  it('3. adds a removed member again, with a new created_at', async () => {
    const { id } = await newAccount();
    const email = address();
    const first = (await add(id, { email })).body;
    expect((await call('DELETE', id, `/${first.user_id}`)).status).toBe(200);
    const again = await add(id, { email, role: 'Analyst' });
    expect([again.status, again.body.user_id, again.body.role]).toEqual([201, first.user_id, 'Analyst']);
    expect(Date.parse(again.body.created_at)).toBeGreaterThan(Date.parse(first.created_at));
  });

  it('replays its response for an idempotency key, also the error for an existing member', async () => {
    const { id } = await newAccount();
    const headers = { 'idempotency-key': newId() };
    const email = address();
    const first = await add(id, { email }, { headers });
    const again = await add(id, { email }, { headers });
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.text,
      'true',
    ]);
    await mail.expect(id, 'invitation', 1);
    const other = { headers: { 'idempotency-key': newId() } };
    const refused = await add(id, { email }, other);
    const refusedAgain = await add(id, { email }, other);
    expect([refused.status, refused.headers['idempotent-replayed']]).toEqual([409, undefined]);
    expect([refusedAgain.status, refusedAgain.headers['idempotent-replayed']]).toEqual([409, 'true']);
  });

  it.each([
    [{}, 'email is required'],
    [{ email: null }, 'email must be a string'],
    [{ email: 'nonsense' }, 'email is not a valid email address'],
    [{ email: '@mail.test' }, 'email is not a valid email address'],
    [{ email: 'a@mail' }, 'email is not a valid email address'],
    [{ email: 'a@[192.0.2.1]' }, 'email is not a valid email address'],
    [{ email: 'a\r\nBcc: eve@evil.test@mail.test' }, 'email is not a valid email address'],
    [{ email: `${'a'.repeat(65)}@mail.test` }, 'email is not a valid email address'],
    [
      { email: 'a@mail.test', role: 'developer' },
      'role must be one of: Administrator, Developer, Analyst, Billing Manager',
    ],
    [
      { email: 'a@mail.test', role: 'Owner' },
      'role must be one of: Administrator, Developer, Analyst, Billing Manager',
    ],
    [{ email: 'a@mail.test', role: undefined }, 'role is required'],
    [{ email: 'a@mail.test', name: 'ä'.repeat(256) }, 'name must be at most 255 characters'],
    [{ email: 'a@mail.test', name: 'a\r\nBcc: b' }, 'name must not contain control characters'],
    [{ email: 'a@mail.test', name: 7 }, 'name must be a string'],
    [{ email: 'nonsense', role: 'nonsense' }, 'email is not a valid email address'],
    [{ email: 'a@mail.test', user_id: newId() }, 'user_id is not writable'],
    [{ email: 'a@mail.test', nonsense: 1 }, 'unknown field: nonsense'],
  ])('refuses %j', async (body, message) => {
    const { id } = await newAccount();
    const refused = await add(id, body);
    expect([refused.status, refused.body]).toEqual([400, { message }]);
  });

  it('accepts a name of 255 characters, and no name', async () => {
    const { id } = await newAccount();
    expect((await add(id, { email: address(), name: '😀'.repeat(255) })).status).toBe(201);
    expect((await add(id, { email: address(), name: null })).status).toBe(201);
  });

  it('has room for a thousand', async () => {
    const { id } = await newAccount();
    await sql(
      `with added as (
         insert into users (id, email, created_at, updated_at)
         select gen_random_uuid(), $2 || n || '@mail.test', now(), now() from generate_series(1, 998) n returning id)
       insert into members (account_id, user_id, role, created_at, updated_at)
       select $1, id, 'Analyst', now(), now() from added`,
      [id, `crowd-${id}-`],
    );
    expect((await add(id, { email: address() })).status).toBe(201);
    const refused = await add(id, { email: address() });
    expect([refused.status, refused.body]).toEqual([
      409,
      { message: 'an account can have at most 1000 members' },
    ]);
  });

  it('sends unrequested messages to 200 people a day, also after removing and adding', async () => {
    const { id } = await newAccount();
    const added = await add(id, { email: address() });
    await sql(
      `insert into audit_entries (id, at, actor_kind, action, account_id)
       select gen_random_uuid(), now() - n * interval '7 minutes', 'system', 'member.add', $1 from generate_series(1, 199) n`,
      [id],
    );
    await call('DELETE', id, `/${added.body.user_id}`);
    const refused = await add(id, { email: address() });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'at most 200 members can be added to an account in 24 hours',
    ]);
    await sql(
      `update audit_entries set at = at - interval '1 hour' where account_id = $1 and action = 'member.add'`,
      [id],
    );
    expect((await add(id, { email: address() })).status).toBe(201);
  });
});

describe('§8 change a member', () => {
  it('changes the role; the same role changes nothing', async () => {
    const { id } = await newAccount();
    const { body: member } = await add(id, { email: address() });
    const change = (role: string) => call('PUT', id, `/${member.user_id.toUpperCase()}`, { body: { role } });
    const changed = await change('Analyst');
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...member, role: 'Analyst', updated_at: expect.stringMatching(/Z$/) },
    ]);
    expect(changed.body.updated_at >= member.updated_at).toBe(true);
    expect((await change('Analyst')).body).toEqual(changed.body);
  });

  it.each([
    [{ role: 'nonsense' }, 400, 'role must be one of: Administrator, Developer, Analyst, Billing Manager'],
    [{}, 400, 'role is required'],
    [{ role: 'Analyst', email: 'a@mail.test' }, 400, 'unknown field: email'],
    [{ role: 'Analyst', account_id: newId() }, 400, 'account_id is not writable'],
  ])('refuses %j', async (body, status, message) => {
    const { id } = await newAccount();
    const { body: member } = await add(id, { email: address() });
    const refused = await call('PUT', id, `/${member.user_id}`, { body });
    expect([refused.status, refused.body]).toEqual([status, { message }]);
  });

  it('rejects the owner and users who are no members', async () => {
    const [{ id, owner }, other] = [await newAccount(), await newAccount()];
    const body = { role: 'Analyst' };
    const refused = async (userId: string) => {
      const { status, body: said } = await call('PUT', id, `/${userId}`, { body });
      return [status, said.message];
    };
    expect(await refused(owner)).toEqual([403, "the account owner's role cannot be changed"]);
    expect(await refused(other.owner)).toEqual([404, 'member not found']);
    expect(await refused(newId())).toEqual([404, 'member not found']);
    expect(await refused('nonsense')).toEqual([400, 'invalid user_id']);
  });
});

describe('§8 remove a member', () => {
  it('removes once', async () => {
    const { id } = await newAccount();
    const { body: member } = await add(id, { email: address() });
    const gone = await call('DELETE', id, `/${member.user_id}`);
    expect([gone.status, gone.body]).toEqual([200, { message: 'member removed successfully' }]);
    const again = await call('DELETE', id, `/${member.user_id}`);
    expect([again.status, again.body]).toEqual([404, { message: 'member not found' }]);
  });

  it('leaves the owner', async () => {
    const { id, owner } = await newAccount();
    const refused = await call('DELETE', id, `/${owner}`);
    expect([refused.status, refused.body]).toEqual([403, { message: 'the account owner cannot be removed' }]);
  });

  it('rejects the user who made the calling key', async () => {
    const { id } = await newAccount();
    const { body: member } = await add(id, { email: address() });
    const key = await accounts.internal('POST', `/operator/accounts/${id}/api-keys`, {
      label: 'k',
      scopes: ['*'],
    });
    await sql('update api_keys set created_by = $1 where id = $2', [member.user_id, key.body.id]);
    const actor = { kind: 'api-key' as const, id: key.body.id };
    const removal = accounts.service
      .get(ChangeMember)
      .remove({ accountId: AccountId.parse(id), userId: member.user_id, actor });
    await expect(removal).rejects.toMatchObject({ status: 403, message: 'you cannot remove yourself' });
    expect((await call('DELETE', id, `/${member.user_id}`)).status).toBe(200);
  });
});

it.each([
  ['GET', '', 'accounts:members:read'],
  ['POST', '', 'accounts:members:add'],
  ['PUT', `/${newId()}`, 'accounts:members:update'],
  ['DELETE', `/${newId()}`, 'accounts:members:remove'],
] as const)('%s members%s needs %s', async (method, rest, scope) => {
  const { id } = await newAccount();
  const others = ['read', 'add', 'update', 'remove'].map((one) => `accounts:members:${one}`);
  const without = others.filter((one) => one !== scope);
  const body = method === 'PUT' || method === 'POST' ? { body: {} } : {};
  expect((await call(method, id, rest, { scopes: without, ...body })).status).toBe(403);
  expect((await call(method, id, rest, { scopes: [scope], ...body })).status).not.toBe(403);
});

it('audits each action with its actor', async () => {
  const { id } = await newAccount();
  const { body: member } = await add(id, { email: address() });
  await call('PUT', id, `/${member.user_id}`, { body: { role: 'Analyst' } });
  await call('DELETE', id, `/${member.user_id}`);
  const rows = await sql(
    'select actor_kind, action, details from audit_entries where subject_id = $1 order by id',
    [member.user_id],
  );
  expect(rows).toEqual([
    { actor_kind: 'api-key', action: 'member.add', details: { role: 'Developer' } },
    { actor_kind: 'api-key', action: 'member.update', details: { role: 'Analyst', before: 'Developer' } },
    { actor_kind: 'api-key', action: 'member.remove', details: { role: 'Analyst' } },
  ]);
});
