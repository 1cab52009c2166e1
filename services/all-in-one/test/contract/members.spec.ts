import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  UUID,
  UUID_V4,
  type Account,
} from './harness.js';

const postmesh = sharedInstallation();
const NOBODY = '0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d';
const BAD_ROLE = 'role must be one of: Administrator, Developer, Analyst, Billing Manager';
let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

const address = (who = 'ann') => `${unique(who)}@mail.test`;
const list = async (of = account) => (await postmesh.api(of.key, 'GET', '{A}/members')).body.data;
const add = (body: object, of = account, headers: Record<string, string> = {}) =>
  postmesh.api(of.key, 'POST', '{A}/members', { body: { role: 'Developer', ...body }, headers });
const change = (userId: string, body: unknown) =>
  postmesh.api(account.key, 'PUT', `{A}/members/${userId}`, { body });
const remove = (userId: string, of = account) => postmesh.api(of.key, 'DELETE', `{A}/members/${userId}`);
const ownerOf = async (of = account): Promise<string> =>
  (await postmesh.api(of.key, 'GET', '{A}')).body.owner_id;

describe('§8 resource and list', () => {
  it('§8 shows a member with its five fields, never zeros, and neither address nor name', async () => {
    const added = await add({ email: address(), name: 'Ann' });
    expect(added.status).toBe(201);
    expect(added.body).toEqual({
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: added.body.created_at,
      // random: an id with a time would reveal since when the address is known
      user_id: expect.stringMatching(UUID_V4),
      account_id: account.id,
      role: 'Developer',
    });
  });

  it('§8 lists every member, oldest first, the owner included, without pages', async () => {
    const fresh = await postmesh.newAccount();
    const added = [];
    for (const role of ['Administrator', 'Developer', 'Analyst', 'Billing Manager']) {
      added.push((await add({ email: address(), role }, fresh)).body);
    }
    const { status, body } = await postmesh.api(fresh.key, 'GET', '{A}/members');
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'list',
      data: [expect.objectContaining({ account_id: fresh.id }), ...added],
    });
    expect(body.data[0]).toMatchObject({ user_id: await ownerOf(fresh), role: 'Administrator' });
  });

  it.each([
    ['GET', '', 'accounts:members:read', 200],
    ['POST', '', 'accounts:members:add', 400],
    ['PUT', `/${NOBODY}`, 'accounts:members:update', 400],
    ['DELETE', `/${NOBODY}`, 'accounts:members:remove', 404],
  ])('§8 %s %s needs %s', async (method, rest, scope, status) => {
    const families = ['read', 'add', 'update', 'remove'].map((one) => `accounts:members:${one}`);
    const without = await postmesh.newKey(account, { scopes: families.filter((one) => one !== scope) });
    const granted = await postmesh.newKey(account, { scopes: [scope] });
    const options = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    expectError(
      await postmesh.api(without, method, `{A}/members${rest}`, options),
      403,
      'insufficient permissions for the required scope',
    );
    expect((await postmesh.api(granted, method, `{A}/members${rest}`, options)).status).toBe(status);
  });
});

describe('§8 add', () => {
  it.each([
    [{}, 'email is required'],
    [{ email: 7 }, 'email must be a string'],
    [{ email: 'nonsense' }, 'email is not a valid email address'],
    [{ email: 'ann@localhost' }, 'email is not a valid email address'],
    [{ email: 'ann@mail.test\r\nBcc: eve@mail.test' }, 'email is not a valid email address'],
    [{ email: 'ann@mail.test', role: undefined }, 'role is required'],
    [{ email: 'ann@mail.test', role: 'administrator' }, BAD_ROLE],
    [{ email: 'ann@mail.test', role: 'Owner' }, BAD_ROLE],
    [{ email: 'ann@mail.test', role: '' }, BAD_ROLE],
    [{ email: 'ann@mail.test', name: 'a'.repeat(256) }, 'name must be at most 255 characters'],
    [{ email: 'ann@mail.test', name: 7 }, 'name must be a string'],
    [{ email: 'ann@mail.test', user_id: NOBODY }, 'user_id is not writable'],
    [{ email: 'ann@mail.test', account_id: NOBODY }, 'account_id is not writable'],
    [{ email: 'ann@mail.test', created_at: null }, 'created_at is not writable'],
    [{ email: 'ann@mail.test', colour: 1 }, 'unknown field: colour'],
  ])('§8 table refuses case %#: %j', async (body, message) => {
    expectError(await add(body), 400, message);
  });

  it('§8 table takes a name of 255 characters and a name of null', async () => {
    expect((await add({ email: address(), name: 'ä'.repeat(255) })).status).toBe(201);
    expect((await add({ email: address(), name: null })).status).toBe(201);
  });

  it('§8 rule 1 makes the user at once, and the invitation arrives', async () => {
    const invited = await postmesh.newAccount({ name: 'Ann & <Sons>' });
    const email = address();
    const { body: member } = await add({ email: ` ${email.toUpperCase()} `, name: 'Ann' }, invited);
    expect((await list(invited)).at(-1)).toEqual(member);
    await eventually(() => postmesh.messagesTo(email), 30_000).toHaveLength(1);
    const [message] = await postmesh.messagesTo(email);
    expect(message).toMatchObject({ to: [email], subject: 'You have been invited to Ann & <Sons>' });
    const text = (await postmesh.messageText(message?.id ?? '')).replace(/=\r\n/g, '');
    expect(text).toContain('Your role: Developer');
    expect(text).toContain('Ann &amp; &lt;Sons&gt;');
    expect((await remove(member.user_id, invited)).status).toBe(200);
  });

  it('§8 rule 1 the name counts only when the user is new, and others keep their id', async () => {
    const [one, two] = [await postmesh.newAccount(), await postmesh.newAccount()];
    const email = address();
    const first = await add({ email, name: 'Ann' }, one);
    const second = await add({ email, name: 'Eve', role: 'Analyst' }, two);
    expect([second.status, second.body.user_id]).toEqual([201, first.body.user_id]);
    const rows = await postmesh.sql('select name from accounts.users where email = $1', [email]);
    expect(rows).toEqual([{ name: 'Ann' }]);
  });

  it('§8 rule 2 a member already is 409 without idempotency headers, replayed with them', async () => {
    const email = address();
    await add({ email });
    const message = 'user is already a member of this account';
    const headers = { 'idempotency-key': unique('key') };
    const fresh = await add({ email: email.toUpperCase() }, account, headers);
    expectError(fresh, 409, message);
    expect([fresh.headers['idempotent-replayed'], fresh.headers['retry-after']]).toEqual([
      undefined,
      undefined,
    ]);
    const replayed = await add({ email: email.toUpperCase() }, account, headers);
    expectError(replayed, 409, message);
    expect([replayed.headers['idempotent-replayed'], replayed.headers['retry-after']]).toEqual([
      'true',
      undefined,
    ]);
    expectError(await add({ email: account.ownerEmail }), 409, message);
  });

  it('§8 rule 2 of 20 simultaneous adds of one address exactly one succeeds', async () => {
    const email = address();
    const answers = await Promise.all(Array.from({ length: 20 }, () => add({ email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  it('§8 an idempotency key replays the 201', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const body = { email: address() };
    const first = await add(body, account, headers);
    const again = await add(body, account, headers);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.bytes).toEqual(first.bytes);
  });

  it('§8 rule 3 a removed member can be added again, with a new created_at', async () => {
    const email = address();
    const { body: first } = await add({ email });
    expect((await remove(first.user_id)).status).toBe(200);
    const { status, body: again } = await add({ email });
    expect([status, again.user_id]).toEqual([201, first.user_id]);
    expect(again.created_at > first.created_at).toBe(true);
  });
});

describe('§8 remove', () => {
  it('§8 remove answers once, then 404', async () => {
    const { body: member } = await add({ email: address() });
    const gone = await remove(member.user_id.toUpperCase());
    expect([gone.status, gone.body]).toEqual([200, { message: 'member removed successfully' }]);
    expectError(await remove(member.user_id), 404, 'member not found');
    expectError(await remove(NOBODY), 404, 'member not found');
    expectError(await remove('nonsense'), 400, 'invalid user_id');
  });

  it("§8 remove does not reach another account's members", async () => {
    const other = await postmesh.newAccount();
    const { body: member } = await add({ email: address() }, other);
    expectError(await remove(member.user_id), 404, 'member not found');
    expect((await list(other)).map((one: { user_id: string }) => one.user_id)).toContain(member.user_id);
  });

  it('§8 remove leaves the owner', async () => {
    expectError(await remove(await ownerOf()), 403, 'the account owner cannot be removed');
  });

  it('§8 remove leaves the user who made the calling key', async () => {
    const { body: member } = await add({ email: address() });
    const key = await postmesh.newKey(account);
    await postmesh.sql('update accounts.api_keys set created_by = $1 where id = $2', [
      member.user_id,
      key.id,
    ]);
    const refused = await postmesh.api(key, 'DELETE', `{A}/members/${member.user_id}`);
    expectError(refused, 403, 'you cannot remove yourself');
    expect((await remove(member.user_id)).status).toBe(200);
  });
});

describe('§8 update', () => {
  it('§8 update gives another role', async () => {
    const { body: member } = await add({ email: address() });
    const changed = await change(member.user_id, { role: 'Billing Manager' });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...member,
      role: 'Billing Manager',
      updated_at: expect.stringMatching(TIMESTAMP),
    });
    expect(changed.body.user_id).toMatch(UUID);
    expect((await list()).find((one: { user_id: string }) => one.user_id === member.user_id)).toEqual(
      changed.body,
    );
  });

  it('§8 update needs a role, and changes nothing else', async () => {
    const { body: member } = await add({ email: address() });
    expectError(await change(member.user_id, {}), 400, 'role is required');
    expectError(await change(member.user_id, { role: 'Owner' }), 400, BAD_ROLE);
    expectError(await change(member.user_id, { role: 'Analyst', name: 'x' }), 400, 'unknown field: name');
    expectError(
      await change(member.user_id, { role: 'Analyst', user_id: NOBODY }),
      400,
      'user_id is not writable',
    );
  });

  it('§8 update leaves the owner, and does not find others', async () => {
    const body = { role: 'Analyst' };
    expectError(await change(await ownerOf(), body), 403, "the account owner's role cannot be changed");
    expectError(await change(NOBODY, body), 404, 'member not found');
    expectError(await change('nonsense', body), 400, 'invalid user_id');
  });
});
