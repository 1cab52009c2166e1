import { KeyLookupResponse } from '@postmesh/accounts-contract';
import { newId, ROLES, SESSION_COOKIE, type MemberRole, type Principal } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabaseWithClock } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { FirstAccount } from '../first-account/first-account.js';
import { ReceivedMail } from '../testing/received-mail.js';

const database = testDatabaseWithClock();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
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
// the clock of the process goes back after each test, that of the database does not
beforeEach(() => database.advance(0));

const sql = (text: string, parameters: unknown[] = []) =>
  accounts.service.get(DataSource).query(text, parameters);
const address = (who = 'ann') => `${who}-${(counted += 1)}@mail.test`;

async function newAccount(name = 'Shop'): Promise<{ id: string; email: string }> {
  const email = address('owner');
  const { body } = await accounts.internal('POST', '/operator/accounts', { name, owner_email: email });
  return { id: body.id, email };
}

async function newMember(account: string, role: MemberRole): Promise<{ email: string; userId: string }> {
  const email = address();
  const path = `/v2/accounts/${account}/members`;
  const { body } = await accounts.call('POST', path, { account_id: account, body: { email, role } });
  return { email, userId: body.user_id };
}

const requestLink = (email: string, more: object = {}) =>
  accounts.call('POST', '/public/console/sign-in-links', { body: { email, ...more } });
const operatorLink = async (email: string, more: object = {}): Promise<string> => {
  const made = await accounts.internal('POST', '/operator/sign-in-links', { email, ...more });
  expect(made.status).toBe(201);
  return tokenOf(made.body.url);
};
const tokenOf = (url: string): string => {
  expect(url).toMatch(/^https:\/\/mail\.example\/console\/sign-in#[A-Za-z0-9]{43}$/);
  return url.split('#')[1] ?? '';
};
const tokenIn = (text = ''): string => tokenOf(/Sign in: (\S+)/.exec(text)?.[1] ?? '');
const useLink = (token: string) => accounts.call('POST', '/public/console/sessions', { body: { token } });

interface Session {
  secret: string;
  body: { id: string; account: { id: string }; roles: string[] };
}

async function begin(token: string): Promise<Session> {
  const { status, headers, body } = await useLink(token);
  expect(status).toBe(201);
  const cookie = String(headers['set-cookie']);
  expect(cookie).toMatch(/; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  return { secret: new RegExp(`^${SESSION_COOKIE}=(\\w+);`).exec(cookie)?.[1] ?? '', body };
}
const signIn = async (email: string, more: object = {}) => begin(await operatorLink(email, more));

/** The principal with which a gateway forwards requests of a session; undefined when it has ended. */
async function principalOf({ secret }: Session): Promise<Principal | undefined> {
  const hashes = new Pepper(accounts.context.settings.secretKeys)
    .candidates(secret)
    .map((hash) => hash.toString('base64'));
  const { body } = await accounts.internal('POST', '/internal/sessions/lookup', { hashes });
  return KeyLookupResponse.parse(body).keys[0]?.principal;
}

async function call(
  session: Session,
  method: 'GET' | 'POST' | 'DELETE' | 'PUT',
  path: string,
  body?: unknown,
) {
  const principal = await principalOf(session);
  if (!principal) throw new Error('the session has ended');
  return accounts.call(method, path, { principal, ...(body === undefined ? {} : { body }) });
}

describe('a sign-in link', () => {
  it('is mailed to a member, and begins one session', async () => {
    const { id, email } = await newAccount();
    const asked = await requestLink(` ${email.toUpperCase()}`);
    expect([asked.status, asked.body]).toEqual([
      202,
      { message: 'if the address is known, a link is on its way' },
    ]);
    const [message] = await mail.expect(id, 'sign-in-link', 1);
    expect(message).toMatchObject({ recipients: [{ email }], subject: 'Your link to sign in to Postmesh' });
    const token = tokenIn(message?.text);
    const { body } = await begin(token);
    expect(body).toMatchObject({
      member: { email },
      account: { id, name: 'Shop', status: 'active' },
      accounts: [{ id, roles: ['Administrator'] }],
      roles: ['Administrator'],
      scopes: ['*'],
      contents: true,
    });
    const again = await useLink(token);
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined]);
  });

  it('leads to the page that its member has asked for', async () => {
    const { id, email } = await newAccount();
    await requestLink(email, { to: '/messages?recipient=a@b.test&status=Bounced' });
    const [message] = await mail.expect(id, 'sign-in-link', 1);
    expect(message?.text).toMatch(
      /Sign in: https:\/\/mail\.example\/console\/sign-in\?to=%2Fmessages%3Frecipient%3Da%40b\.test%26status%3DBounced#\w{43}\n/,
    );
  });

  it('begins one session when it is used twice at once', async () => {
    const { email } = await newAccount();
    const token = await operatorLink(email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => useLink(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401, 401]);
  });

  it('has the same answer for an unknown address, and is mailed three times in a quarter of an hour', async () => {
    const { id, email } = await newAccount();
    const known = await Promise.all(Array.from({ length: 4 }, () => requestLink(email)));
    const unknown = await requestLink(address('stranger'));
    for (const one of known) expect([one.status, one.text]).toEqual([unknown.status, unknown.text]);
    await mail.expect(id, 'sign-in-link', 3);
    await database.advance(16 * MINUTE);
    await requestLink(email);
    await mail.expect(id, 'sign-in-link', 4);
  });

  it('expires after fifteen minutes', async () => {
    const { email } = await newAccount();
    const token = await operatorLink(email);
    await database.advance(15 * MINUTE + 1_000);
    expect((await useLink(token)).status).toBe(401);
  });

  it('of an invitation works for a week, in the account of the invitation', async () => {
    const { id } = await newAccount('Ann & <Sons>');
    const { email } = await newMember(id, 'Analyst');
    const [message] = await mail.expect(id, 'invitation', 1);
    expect(message?.recipients).toMatchObject([{ email }]);
    expect(message?.html).toMatch(/<a href="https:\/\/mail\.example\/console\/sign-in#\w{43}"/);
    await database.advance(6 * DAY);
    const { body } = await begin(tokenIn(message?.text));
    expect(body).toMatchObject({ account: { id }, roles: ['Analyst'], contents: false });
  });

  it('is stored as a hash, like the secret of the session', async () => {
    const { email } = await newAccount();
    const token = await operatorLink(email);
    const { secret } = await signIn(email);
    const rows = JSON.stringify([
      await sql('select row_to_json(l) from sign_in_links l'),
      await sql('select row_to_json(s) from sessions s'),
      await sql('select row_to_json(a) from audit_entries a'),
    ]);
    expect(rows).not.toContain(token);
    expect(rows).not.toContain(secret);
  });

  it('signs nobody in who has left the account', async () => {
    const { id } = await newAccount();
    const { email, userId } = await newMember(id, 'Developer');
    const token = await operatorLink(email);
    await accounts.call('DELETE', `/v2/accounts/${id}/members/${userId}`, { account_id: id });
    expect((await useLink(token)).status).toBe(403);
  });

  it('is made by the operator for members only, and for the owner by npm start', async () => {
    const { id } = await newAccount();
    const { email } = await newMember(id, 'Developer');
    const other = await newAccount();
    const refused = [{ email: address('stranger') }, { email, account_id: other.id }];
    for (const body of refused) {
      expect((await accounts.internal('POST', '/operator/sign-in-links', body)).status).toBe(404);
    }
    const first = accounts.service.get(FirstAccount);
    const { body } = await begin(tokenOf((await first.signInLink(id)) ?? ''));
    expect(body).toMatchObject({ account: { id }, roles: ['Administrator'] });
    expect(await first.signInLink(newId())).toBeUndefined();
  });

  it.each([
    ['/public/console/sign-in-links', {}, 'email is required'],
    ['/public/console/sign-in-links', { email: 'nonsense' }, 'email is not a valid email address'],
    ['/public/console/sessions', { token: '' }, undefined],
    ['/public/console/sessions', { token: 7 }, 'token must be a string'],
  ])('%s refuses %j', async (path, body, message) => {
    const refused = await accounts.call('POST', path, { body });
    expect(refused.status).toBe(400);
    if (message !== undefined) expect(refused.body).toEqual({ message });
  });

  it.each(['https://evil.test', '//evil.test', '/\\evil.test', '/a b', '/a#b', `/${'x'.repeat(500)}`])(
    'leads to no other place than a page of the console: %s',
    async (to) => {
      const refused = await requestLink('ann@mail.test', { to });
      expect([refused.status, refused.body]).toEqual([400, { message: 'to is not a path of the console' }]);
    },
  );
});

describe('a session', () => {
  it('has the scopes of the role, and follows a change of it at once', async () => {
    const { id } = await newAccount();
    const { email, userId } = await newMember(id, 'Developer');
    const session = await signIn(email);
    expect((await principalOf(session))?.scopes).toEqual(ROLES.Developer.scopes);
    const before = Number((await sql('select revision from key_revision'))[0].revision);
    const path = `/v2/accounts/${id}/members/${userId}`;
    await accounts.call('PUT', path, { account_id: id, body: { role: 'Analyst' } });
    expect(await principalOf(session)).toMatchObject({
      scopes: ROLES.Analyst.scopes,
      member: { role: 'Analyst' },
    });
    // gateways drop it by its id, before the response
    expect(await sql('select key_ids from key_changes where revision > $1', [before])).toEqual([
      { key_ids: [session.body.id] },
    ]);
  });

  it('ends with the membership', async () => {
    const { id } = await newAccount();
    const { email, userId } = await newMember(id, 'Developer');
    const session = await signIn(email);
    await accounts.call('DELETE', `/v2/accounts/${id}/members/${userId}`, { account_id: id });
    expect(await principalOf(session)).toBeUndefined();
  });

  it('ends twelve hours after its last use, and 30 days after its begin', async () => {
    const { email } = await newAccount();
    const [idle, used] = [await signIn(email), await signIn(email)];
    const use = async (at = Date.now()) => {
      const uses = [{ key_id: used.body.id, used_at: new Date(at).toISOString(), session: true }];
      await accounts.internal('POST', '/internal/keys/used', { uses });
    };
    await database.advance(11 * HOUR);
    await use();
    await database.advance(2 * HOUR);
    expect([await principalOf(idle), (await principalOf(used))?.key_id]).toEqual([undefined, used.body.id]);
    await sql('update sessions set last_used_at = now() where id = $1', [used.body.id]);
    await sql(`update sessions set created_at = now() - interval '30 days' where id = $1`, [used.body.id]);
    expect(await principalOf(used)).toBeUndefined();
  });

  it('is not revived by a late report of its use', async () => {
    const { email } = await newAccount();
    const session = await signIn(email);
    await database.advance(13 * HOUR);
    const uses = [{ key_id: session.body.id, used_at: new Date().toISOString(), session: true }];
    await accounts.internal('POST', '/internal/keys/used', { uses });
    expect(await principalOf(session)).toBeUndefined();
  });

  it('is listed and ended by its member, and by no other one', async () => {
    const { email } = await newAccount();
    const stranger = await signIn((await newAccount()).email);
    const [one, two, three] = [await signIn(email), await signIn(email), await signIn(email)];
    const { body } = await call(one, 'GET', '/console/api/sessions');
    expect(body.data.map((item: { id: string; current: boolean }) => [item.id, item.current])).toEqual(
      expect.arrayContaining([
        [one.body.id, true],
        [two.body.id, false],
        [three.body.id, false],
      ]),
    );
    expect((await call(stranger, 'DELETE', `/console/api/sessions/${two.body.id}`)).status).toBe(404);
    expect((await call(one, 'DELETE', `/console/api/sessions/${two.body.id}`)).status).toBe(200);
    expect(await principalOf(two)).toBeUndefined();
    const out = await call(one, 'DELETE', '/console/api/session');
    expect([out.status, out.headers['set-cookie']]).toEqual([200, expect.stringMatching(/=; Max-Age=0; /)]);
    expect(await principalOf(one)).toBeUndefined();
    const last = await signIn(email);
    expect((await call(last, 'DELETE', '/console/api/sessions')).status).toBe(200);
    expect([await principalOf(three), await principalOf(last)]).toEqual([undefined, undefined]);
    expect(await principalOf(stranger)).toBeDefined();
  });

  it('moves to another account of the member, also to a sub-account of the owner', async () => {
    const { id, email } = await newAccount('Parent');
    const other = await newAccount('Other');
    await accounts.call('POST', `/v2/accounts/${other.id}/members`, {
      account_id: other.id,
      body: { email, role: 'Analyst' },
    });
    const child = await accounts.call('POST', `/v2/accounts/${id}/sub-accounts`, {
      account_id: id,
      body: { name: 'Child', website: 'https://child.test' },
    });
    const session = await signIn(email);
    expect(session.body).toMatchObject({
      account: { id },
      accounts: [
        { id },
        { id: other.id, roles: ['Analyst'] },
        { id: child.body.sub_account_id ?? child.body.id },
      ],
    });
    const to = (account_id: string) => call(session, 'POST', '/console/api/session/account', { account_id });
    expect((await to(other.id)).body).toMatchObject({ account: { id: other.id }, roles: ['Analyst'] });
    expect(await principalOf(session)).toMatchObject({ account_id: other.id, member: { role: 'Analyst' } });
    expect((await to((await newAccount()).id)).status).toBe(404);
    expect((await call(session, 'GET', '/console/api/session')).body.account.id).toBe(other.id);
  });

  it('begins in an account that is not blocked, where there is one', async () => {
    const { id, email } = await newAccount('Blocked');
    const other = await newAccount('Other');
    const member = { account_id: other.id, body: { email, role: 'Analyst' } };
    await accounts.call('POST', `/v2/accounts/${other.id}/members`, member);
    await accounts.internal('POST', `/operator/accounts/${id}/block`, { reason: 'spam' });
    const session = await signIn(email);
    expect(session.body.account.id).toBe(other.id);
    const moved = await call(session, 'POST', '/console/api/session/account', { account_id: id });
    expect(moved.body.account.id).toBe(id);
  });

  it('gives a key no rights beyond the role', async () => {
    const { id } = await newAccount();
    const developer = await signIn((await newMember(id, 'Developer')).email);
    const create = (scopes: string[]) =>
      call(developer, 'POST', `/v2/accounts/${id}/api-keys`, { label: 'k', scopes });
    const refused = await create(['messages:send:all', '*']);
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: 'the role Developer cannot grant the scope: *' },
    ]);
    expect((await create(['accounts:members:add'])).status).toBe(403);
    expect((await create(['nonsense'])).status).toBe(400);
    const made = await create(['messages:send:all', 'domains:read']);
    expect(made.status).toBe(201);
    const path = `/v2/accounts/${id}/api-keys/${made.body.id}`;
    expect((await call(developer, 'PUT', path, { scopes: ['*'] })).status).toBe(403);
    const owner = await signIn(
      (await sql('select email from users u join accounts a on a.owner_id = u.id where a.id = $1', [id]))[0]
        .email,
    );
    expect(
      (await call(owner, 'POST', `/v2/accounts/${id}/api-keys`, { label: 'k', scopes: ['*'] })).status,
    ).toBe(201);
  });

  it('removes no member who is signed in with it', async () => {
    const { id } = await newAccount();
    const { email, userId } = await newMember(id, 'Administrator');
    const refused = await call(await signIn(email), 'DELETE', `/v2/accounts/${id}/members/${userId}`);
    expect([refused.status, refused.body]).toEqual([403, { message: 'you cannot remove yourself' }]);
  });

  it('is needed by the operations of the console: no key calls them', async () => {
    const refused = await accounts.call('GET', '/console/api/session');
    expect([refused.status, refused.body]).toEqual([401, { message: 'sign in first' }]);
  });

  it('is the oldest of a hundred and ends with the next sign-in', async () => {
    const { email } = await newAccount();
    const first = await signIn(email);
    await sql(
      `insert into sessions select gen_random_uuid(), user_id, account_id, sha256(n::text::bytea || id::text::bytea),
         pepper_id, way, user_agent, client_ip, created_at, last_used_at + interval '1 minute'
       from sessions, generate_series(1, 99) n where id = $1`,
      [first.body.id],
    );
    expect(await principalOf(first)).toBeDefined();
    await signIn(email);
    expect(await principalOf(first)).toBeUndefined();
  });
});

describe('the audit of an account', () => {
  it('is read by Administrators, with the authors of actions', async () => {
    const { id, email } = await newAccount();
    const developer = await signIn((await newMember(id, 'Developer')).email);
    const refused = await call(developer, 'GET', '/console/api/audit');
    expect(refused.status).toBe(403);
    const owner = await signIn(email);
    await call(owner, 'PUT', `/v2/accounts/${id}`, { name: 'Shop 2' });
    const { body } = await call(owner, 'GET', '/console/api/audit?limit=2');
    expect(body).toMatchObject({
      object: 'list',
      data: [
        { action: 'account.update', actor: { type: 'member', name: email }, details: expect.anything() },
        { action: 'session.begin', actor: { type: 'member', name: email } },
      ],
      pagination: { has_more: true },
    });
    const by = async (filter: string) =>
      (await call(owner, 'GET', `/console/api/audit?${filter}`)).body.data as {
        action: string;
        details: object;
      }[];
    expect(await by('actor=operator')).toMatchObject([{ action: 'account.create', details: {} }]);
    expect((await by('action=member.*')).map(({ action }) => action)).toEqual(['member.add']);
    // of another account nothing is shown, also when it is asked for
    expect(await by(`account_id=${newId()}&action=account.create`)).toHaveLength(1);
  });

  it('is a chain: a change and a removal are found, and a chain that was made anew by a noted end', async () => {
    const verify = async (query = '') =>
      (await accounts.internal('GET', `/operator/audit/chain${query}`)).body;
    await newAccount();
    const good = await verify();
    expect(good).toMatchObject({ problem: null, next: null, waiting: 0 });
    expect(good.seq).toBeGreaterThan(2);
    const [row] = await sql('select id, action from audit_entries where seq = 2');
    await sql(`update audit_entries set action = 'nothing' where seq = 2`);
    expect((await verify()).problem).toBe('entry 2 was changed');
    await sql('update audit_entries set action = $2 where id = $1', [row.id, row.action]);
    expect((await verify(`?noted=${good.seq}:${good.hash}`)).problem).toBeNull();
    expect((await verify(`?noted=${good.seq}:${'0'.repeat(64)}`)).problem).toContain('that was noted');
    expect((await verify('?after=2')).problem).toBeNull();
    await sql('delete from audit_entries where seq = $1', [good.seq]);
    expect((await verify()).problem).toBe(
      `the entries after ${good.seq - 1} are missing, there were ${good.seq}`,
    );
  });
});
