import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newChild, sendMessage } from './families.js';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  uniqueDomain,
  UUID_V7,
  type Account,
  type ApiOptions,
} from './harness.js';
import { send as sendRequest } from './http-request.js';

const postmesh = sharedInstallation();
const PERMANENT = '9999-12-31T23:59:59Z';
const LATER = '2090-01-02T03:04:05Z';

/** with two verified domains */
let sender: Account;
let verified: [string, string];
/** with two domains that are not verified; each test finds its list empty */
let account: Account;
let one: string;
let two: string;
beforeAll(async () => {
  sender = await postmesh.newAccount();
  verified = [await postmesh.verifiedDomain(sender), await postmesh.verifiedDomain(sender)];
  account = await postmesh.newAccount();
  one = await newDomain(account);
  two = await newDomain(account);
});
beforeEach(() => postmesh.sql('delete from messages.suppressions where account_id = $1', [account.id]));

async function newDomain({ key }: Account, domain = uniqueDomain()): Promise<string> {
  expect((await postmesh.api(key, 'POST', '{A}/domains', { body: { domain } })).status).toBe(201);
  return domain;
}

const call = (method: string, rest = '', options: ApiOptions = {}, by = account.key) =>
  postmesh.api(by, method, `{A}/suppressions${rest}`, options);
const create = (body: object, by = account) =>
  call('POST', '', { body: { expires_at: LATER, ...body } }, by.key);
const address = () => `${unique('r')}@mail.test`;
/** `address domain` of each row of a list, newest first */
async function list(rest = '', by = account): Promise<string[]> {
  const { status, body } = await call('GET', rest, {}, by.key);
  expect(status).toBe(200);
  return body.data.map(({ email, domain }: { email: string; domain: string }) => `${email} ${domain}`);
}
const inTable = (set: string, email: string) =>
  postmesh.sql(`update messages.suppressions set ${set} where account_id = $1 and email = $2`, [
    account.id,
    email,
  ]);

describe('§14.1 the resource', () => {
  it('§14.1 has these fields, in the list as in the create', async () => {
    const { status, body } = await create({
      email: 'Ann@MAIL.test',
      domain: `${one.toUpperCase()}.`,
      reason: 'Asked',
      expires_at: '2090-01-02T03:04:05.678+02:00',
    });
    const shown = {
      object: 'suppression',
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      email: 'ann@mail.test',
      domain: one,
      reason: 'Asked',
      protected: false,
      expires_at: '2090-01-02T01:04:05.678Z',
    };
    expect([status, body]).toEqual([201, { object: 'list', data: [shown] }]);
    const page = await call('GET');
    expect(page.body).toEqual({ object: 'list', data: body.data, pagination: { has_more: false } });
  });

  it('§14.1 a permanent one reads as it is documented, a reason that is not given is empty', async () => {
    const { body } = await create({ email: address(), domain: one, expires_at: PERMANENT });
    expect(body.data[0]).toMatchObject({ expires_at: PERMANENT, reason: '' });
    const late = { expires_at: '9999-12-31T23:59:59.999-12:00', reason: null, domain: null };
    const every = await create({ email: address(), ...late });
    expect(every.body.data).toMatchObject([1, 2].map(() => ({ expires_at: PERMANENT, reason: '' })));
  });

  it('§14.1 a reason of 255 characters is shown whole', async () => {
    const reason = '😀'.repeat(255);
    expect((await create({ email: address(), domain: one, reason })).body.data[0].reason).toBe(reason);
  });
});

describe('§14.2 GET', () => {
  it('§14.2 GET narrows by domain, address and time of creation', async () => {
    const [ann, bob] = [address(), address()];
    await create({ email: ann });
    await create({ email: bob, domain: two });
    await inTable(`created_at = '2026-01-05T08:00:00Z'`, bob);
    expect(await list(`?domain=${two.toUpperCase()}`)).toEqual([`${ann} ${two}`, `${bob} ${two}`]);
    expect(await list(`?email=%20${ann.toUpperCase()}`)).toHaveLength(2);
    expect(await list(`?domain=${one}&email=${bob}`)).toEqual([]);
    const at = (from: string, to: string) =>
      list(`?from_time=2026-01-05T08:00:${from}Z&to_time=2026-01-05T08:00:${to}Z`);
    expect(await at('00', '01')).toEqual([`${bob} ${two}`]);
    expect(await at('00', '00')).toEqual([]);
    expect(await list('?to_time=2026-01-05T08:00:00Z')).toEqual([]);
    expect(await list('?from_time=2026-01-05T09:00:00%2B01:00')).toHaveLength(3);
  });

  it('§14.2 GET does not list expired rows', async () => {
    const email = address();
    await create({ email, domain: one });
    await inTable(`expires_at = now() - interval '1 second'`, email);
    expect(await list()).toEqual([]);
  });

  it('§14.2 GET is 404 for a domain that is not owned, 400 for invalid parameters', async () => {
    expectError(await call('GET', `?domain=${verified[0]}`), 404, 'domain not found');
    expectError(await call('GET', '?domain=nonsense'), 404, 'domain not found');
    expectError(await call('GET', '?email=nonsense'), 400, 'invalid email');
    const invalid = 'invalid query, percent-encode it in UTF-8';
    expectError(await call('GET', '?domain=%FF&email=nonsense'), 400, invalid);
    for (const name of ['from_time', 'to_time']) {
      expectError(
        await call('GET', `?${name}=today`),
        400,
        `invalid ${name}, provide a valid RFC3339 time string`,
      );
    }
    expectError(
      await call('GET', '?from_time=2026-01-02T00:00:00Z&to_time=2026-01-01T00:00:00Z'),
      400,
      'from_time must not be after to_time',
    );
  });

  it('§1.1 rule 7 §14.2 GET reads an empty value as absent', async () => {
    await create({ email: address() });
    expect(await list('?domain=&email=&from_time=&to_time=')).toHaveLength(2);
  });

  it('§14.2 GET is paginated, newest first', async () => {
    const emails = Array.from({ length: 5 }, address);
    for (const email of emails) await create({ email, domain: one });
    const first = await call('GET', '?limit=2');
    const second = await call('GET', `?limit=2&after=${first.body.pagination.next_cursor}`);
    const third = await call('GET', `?limit=2&after=${second.body.pagination.next_cursor}`);
    const seen = [first, second, third].flatMap(({ body }) =>
      body.data.map(({ email }: { email: string }) => email),
    );
    expect([seen, third.body.pagination.has_more]).toEqual([emails.toReversed(), false]);
  });
});

describe('§14.2 POST', () => {
  it('§14.2 POST judges its fields in the order of the table', async () => {
    const email = address();
    const asked: [object, string][] = [
      [{ expires_at: 'x' }, 'email is required'],
      [{ email: 'nonsense', expires_at: 'x' }, 'email is not a valid email address'],
      [{ email: 'a\u0000@mail.test' }, 'email is not a valid email address'],
      [{ email: 7 }, 'email must be a string'],
      [{ email, expires_at: '2030-01-01' }, 'invalid expires_at, provide a valid RFC3339 time string'],
      [{ email, expires_at: 'x', domain: 'y' }, 'invalid expires_at, provide a valid RFC3339 time string'],
      [{ email, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at must be in the future'],
      [{ email, expires_at: undefined }, 'expires_at is required'],
      [{ email, domain: verified[0] }, `domain not found: ${verified[0]}`],
      [{ email, domain: '' }, 'domain not found: '],
      [{ email, domain: 'no domain' }, 'domain not found: no domain'],
      [{ email, reason: 'é'.repeat(256) }, 'reason must be at most 255 characters'],
      [{ email, reason: 'a\u0000b' }, 'reason must not contain a NUL character'],
      [{ email, id: account.id }, 'id is not writable'],
      [{ email, permanent: true }, 'unknown field: permanent'],
    ];
    for (const [body, message] of asked) expectError(await create(body), 400, message);
    expect(await list()).toEqual([]);
  });

  it('§14.2 rule 1 makes one row for the domain, 409 while it lasts; an expired one is replaced', async () => {
    const email = address();
    const first = await create({ email, domain: one });
    expect(first.body.data).toHaveLength(1);
    expectError(await create({ email: email.toUpperCase(), domain: one }), 409, 'suppression already exists');
    await inTable(`expires_at = now() - interval '1 second', protected = true`, email);
    const second = await create({ email, domain: one, reason: 'new' });
    expect([second.status, second.body.data[0].id === first.body.data[0].id]).toEqual([201, false]);
    expect(second.body.data[0]).toMatchObject({ reason: 'new', protected: false });
    expect(await list()).toEqual([`${email} ${one}`]);
  });

  it('§14.2 rule 1 of several at once makes exactly one', async () => {
    const email = address();
    const all = await Promise.all(Array.from({ length: 8 }, () => create({ email, domain: one })));
    expect(all.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(7).fill(409)]);
  });

  it('§14.2 rule 2 without a domain makes one for each, and passes over those that are there', async () => {
    const email = address();
    await create({ email, domain: two });
    const { status, body } = await create({ email });
    expect([status, body.data.map(({ domain }: { domain: string }) => domain)]).toEqual([201, [one]]);
    const both = await create({ email: address() });
    expect(both.body.data.map(({ domain }: { domain: string }) => domain)).toEqual([one, two].toSorted());
    expect(body).not.toHaveProperty('pagination');
    expectError(await create({ email }), 409, 'suppression already exists');
    const empty = await postmesh.newAccount();
    expectError(await create({ email }, empty), 400, 'account has no domains');
  });

  it('§14.2 rule 3 does not let a client protect one, whatever the reason', async () => {
    expectError(await create({ email: address(), protected: true }), 400, 'protected is not writable');
    const { body } = await create({ email: address(), domain: one, reason: 'FBL Complaint Report' });
    expect(body.data[0].protected).toBe(false);
  });

  it('§14.2 rule 4 publishes each row that was created', async () => {
    const email = address();
    await create({ email });
    const copied = () =>
      postmesh.sql<{ domain: string }>(
        'select domain from delivery_worker.suppressions where account_id = $1 and recipient = $2 order by domain',
        [account.id, email],
      );
    await eventually(copied).toEqual([one, two].toSorted().map((domain) => ({ domain })));
  });
});

describe('§14.2 DELETE', () => {
  it('§14.2 DELETE lifts it for a domain, or for all, protected ones included', async () => {
    const email = address();
    await create({ email });
    await inTable('protected = true', email);
    const first = await call('DELETE', `?email=${email.toUpperCase()}&domain=${one}`);
    expect([first.status, first.body]).toEqual([200, { message: 'suppression deleted successfully' }]);
    expect(await list()).toEqual([`${email} ${two}`]);
    await create({ email, domain: one });
    expect((await call('DELETE', `?email=${email}`)).status).toBe(200);
    expect(await list()).toEqual([]);
  });

  it('§14.2 DELETE is 400 without an address, 404 where nothing matches', async () => {
    const email = address();
    await create({ email, domain: one });
    for (const rest of ['', '?email=', `?domain=${one}`])
      expectError(await call('DELETE', rest), 400, 'email is required');
    expectError(await call('DELETE', '?email=nonsense'), 400, 'invalid email');
    expectError(await call('DELETE', `?email=${email}&domain=${verified[0]}`), 404, 'domain not found');
    expectError(await call('DELETE', `?email=${email}&domain=${two}`), 404, 'suppression not found');
    const theirs = address();
    await create({ email: theirs, domain: verified[0] }, sender);
    expectError(await call('DELETE', `?email=${theirs}`), 404, 'suppression not found');
    await inTable(`expires_at = now() - interval '1 second'`, email);
    expectError(await call('DELETE', `?email=${email}`), 404, 'suppression not found');
  });
});

describe('§14.2 DELETE all', () => {
  it('§14.2 DELETE all lifts those of a domain, or all, and keeps and counts protected ones', async () => {
    const [ann, bob] = [address(), address()];
    for (const email of [ann, bob]) await create({ email });
    await inTable('protected = true', bob);
    const ofOne = await call('DELETE', `/all?domain=${one}`);
    expect([ofOne.status, ofOne.body.message]).toEqual([
      200,
      'suppressions deleted, 1 protected suppressions kept',
    ]);
    expect((await list()).toSorted()).toEqual([`${ann} ${two}`, `${bob} ${one}`, `${bob} ${two}`].toSorted());
    const rest = await call('DELETE', '/all');
    expect(rest.body.message).toBe('suppressions deleted, 2 protected suppressions kept');
    await inTable('protected = false', bob);
    expect((await call('DELETE', '/all')).body).toEqual({ message: 'all suppressions deleted' });
    expect((await call('DELETE', '/all')).status).toBe(200);
    expectError(await call('DELETE', `/all?domain=${verified[0]}`), 404, 'domain not found');
    expect(await list()).toEqual([]);
  });
});

describe('§14.2 scopes', () => {
  it('§14.2 each operation needs its own', async () => {
    const body = { email: address(), expires_at: LATER };
    const operations = [
      ['suppressions:read', 'GET', ''],
      ['suppressions:write', 'POST', ''],
      ['suppressions:delete', 'DELETE', `?email=${body.email}`],
      ['suppressions:wipe', 'DELETE', '/all'],
    ] as const;
    for (const [scope] of operations) {
      const key = await postmesh.newKey(account, { scopes: [scope] });
      for (const [needed, method, rest] of operations) {
        const { status } = await call(method, rest, method === 'POST' ? { body } : {}, key);
        expect(status === 403, `${needed} with ${scope}`).toBe(needed !== scope);
      }
    }
  });
});

describe('§14.3 behaviour', () => {
  const message = async (id: string) =>
    (await postmesh.api(sender.key, 'GET', `{A}/messages/${encodeURIComponent(id)}`)).body;

  it('§14.3 rule 1 a message to a suppressed recipient ends when it is accepted, from that domain alone', async () => {
    const [gone, there] = [address(), address()];
    await create({ email: gone, domain: verified[0] }, sender);
    const { status, body } = await sendMessage(postmesh, sender, { from: verified[0], to: [gone, there] });
    expect([status, body.data.map((result: { status: string }) => result.status)]).toEqual([
      202,
      ['queued', 'queued'],
    ]);
    const ended = await message(body.data[0].id);
    expect(ended).toMatchObject({ recipient: gone, status: 'Suppressed', num_attempts: 0, sent_at: null });
    expect(ended.delivery_attempts).toMatchObject([{ status: 'Suppression' }]);
    const other = await sendMessage(postmesh, sender, { from: verified[1], to: [gone] });
    await eventually(async () => (await message(other.body.data[0].id)).status).toBe('Delivered');
    expect(await postmesh.messagesTo(gone)).toHaveLength(1);
    await eventually(() => postmesh.messagesTo(there)).toHaveLength(1);
  });

  it('§14.3 rule 1 children and parents do not share', async () => {
    const child = await newChild(postmesh, account);
    const domain = await newDomain(child);
    await create({ email: address(), domain }, child);
    expect([await list(), (await list('', child)).length]).toEqual([[], 1]);
  });

  it('§14.3 rule 2 an expired one blocks no longer, protected or not, and its row goes', async () => {
    const email = address();
    await create({ email, domain: verified[0] }, sender);
    await postmesh.sql(
      `update messages.suppressions set protected = true, expires_at = now() - interval '1 second' where email = $1`,
      [email],
    );
    const { body } = await sendMessage(postmesh, sender, { from: verified[0], to: [email] });
    expect((await message(body.data[0].id)).status).not.toBe('Suppressed');
  });

  it('§14.3 rule 3 complaints and unsubscribes that are imported are protected, and only those', async () => {
    const reasons = ['FBL Complaint Report', 'FBL Abuse Report', 'Unsubscribed', 'Too many hard bounces'];
    const lines = reasons.map((reason) => `${address()},${one},${reason}`);
    const status = await imported(`email,domain,reason\n${lines.join('\n')}`);
    expect(status).toMatchObject({ state: 'done', created: 4, errors: 0 });
    const { body } = await call('GET');
    const isProtected = body.data.map((row: { reason: string; protected: boolean }) => [
      row.reason,
      row.protected,
    ]);
    expect(Object.fromEntries(isProtected)).toEqual({
      ...Object.fromEntries(reasons.map((reason) => [reason, true])),
      'Too many hard bounces': false,
    });
    expect(new Set(body.data.map((row: { expires_at: string }) => row.expires_at))).toEqual(
      new Set([PERMANENT]),
    );
  });

  it('§14.3 rule 4 an import extends a row that already blocks', async () => {
    const email = address();
    const made = await create({ email, domain: one, reason: 'first' });
    const status = await imported(`email,domain,reason\n${email},${one},Unsubscribed\nnonsense,${one},`);
    expect(status).toMatchObject({
      created: 0,
      extended: 1,
      errors: 1,
      first_errors: [{ line: 3, text: `nonsense,${one},`, reason: 'email is not a valid email address' }],
    });
    const { body } = await call('GET');
    expect(body.data).toEqual([{ ...made.body.data[0], protected: true, expires_at: PERMANENT }]);
  });

  it('§11.9 those of a deleted domain stay, and are found again when it is added again', async () => {
    const domain = await newDomain(account);
    const email = address();
    await create({ email, domain });
    expect((await postmesh.api(account.key, 'DELETE', `{A}/domains/${domain}`)).status).toBe(200);
    expectError(await call('GET', `?domain=${domain}`), 404, 'domain not found');
    expect(await list()).toEqual([`${email} ${domain}`]);
    await newDomain(account, domain);
    expect(await list(`?domain=${domain}`)).toEqual([`${email} ${domain}`]);
    expect((await postmesh.api(account.key, 'DELETE', `{A}/domains/${domain}`)).status).toBe(200);
  });
});

/** Imports a CSV file as an operator. @returns the ended import */
async function imported(csv: string): Promise<object> {
  const { operator_url: url, operator_token: token } = postmesh.credentials;
  const sent = await sendRequest({
    method: 'POST',
    url: `${url.replace('//localhost:', '//127.0.0.1:')}/operator/messages/accounts/${account.id}/suppression-imports`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: csv,
  });
  expect(sent.status).toBe(202);
  const status = async () =>
    (await postmesh.operator('GET', `/operator/messages/suppression-imports/${sent.body.id}`)).body;
  await eventually(async () => (await status()).state).toBe('done');
  return status();
}
