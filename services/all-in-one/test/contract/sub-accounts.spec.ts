import { randomUUID } from 'node:crypto';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newChild, newChildKey, sendLetter } from './families.js';
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
  type Caller,
} from './harness.js';

const postmesh = sharedInstallation();
let parent: Account;
beforeAll(async () => {
  parent = await postmesh.newAccount();
});

const NOT_FOUND = 'sub account not found';
const OFF = 'sub accounts are not enabled for this account';
const given = () => ({ name: unique('Child'), website: uniqueDomain('child') });
const call = (method: string, rest: string, body?: unknown, caller: Caller = parent.key) =>
  postmesh.api(caller, method, `{A}/sub-accounts${rest}`, body === undefined ? {} : { body });
const create = (body: object, options: ApiOptions = {}) =>
  postmesh.api(parent.key, 'POST', '{A}/sub-accounts', { body: { ...given(), ...body }, ...options });
const statusOf = async (child: { id: string }) => (await call('GET', `/${child.id}`)).body.status;
const suspend = (child: { id: string }, reason = 'unpaid') =>
  call('POST', `/${child.id}/suspend`, { reason });
const unsuspend = (child: { id: string }) => call('POST', `/${child.id}/unsuspend`);
const operate = (account: { id: string }, action: string, body?: unknown) =>
  postmesh.operator('POST', `/operator/accounts/accounts/${account.id}/${action}`, body);

/** Every operation of the section on one child, as a client may try them. */
const everything = (child: string): [method: string, rest: string, body?: unknown][] => [
  ['GET', ''],
  ['POST', '', given()],
  ['GET', '/usage'],
  ['GET', `/${child}`],
  ['PUT', `/${child}`, { name: 'Other' }],
  ['POST', `/${child}/suspend`, { reason: 'x' }],
  ['POST', `/${child}/unsuspend`],
  ['POST', `/${child}/domains/shop.test/unpause`],
  ['GET', `/${child}/api-keys`],
  ['POST', `/${child}/api-keys`, { label: 'k', scopes: ['lists:read'] }],
  ['GET', `/${child}/api-keys/${randomUUID()}`],
  ['PUT', `/${child}/api-keys/${randomUUID()}`, { label: 'k' }],
  ['DELETE', `/${child}/api-keys/${randomUUID()}`],
  ['DELETE', `/${child}`],
];

describe('§10.1 model', () => {
  it('§10.1 rule 1 is for partners: without the flag everything is refused, in the very next request', async () => {
    const account = await postmesh.newAccount();
    const child = await newChild(postmesh, account);
    const setFlag = (platform_partner: boolean) =>
      postmesh.operator('PUT', `/operator/accounts/accounts/${account.id}`, { platform_partner });
    expect((await setFlag(false)).status).toBe(200);
    const weak = await postmesh.newKey(account, { scopes: ['lists:read'] });
    for (const [method, rest, body] of everything(child.id)) {
      expectError(await call(method, rest, body, account.key), 403, OFF);
      expectError(await call(method, rest, body, weak), 403, OFF);
    }
    await setFlag(true);
    expect((await call('GET', `/${child.id}`, undefined, account.key)).status).toBe(200);
  });

  it('§10.1 rule 2 knows no nesting: a child is refused everything, whatever its scopes', async () => {
    const child = await newChild(postmesh, parent);
    const weak = await newChildKey(postmesh, parent, child.id, { scopes: ['lists:read'] });
    for (const [method, rest, body] of everything(child.id)) {
      expectError(await call(method, rest, body, child.key), 403, OFF);
      expectError(await call(method, rest, body, weak), 403, OFF);
    }
    expect(await statusOf(child)).toBe('active');
  });

  it('§10.1 rule 2 has the parent in the path, and a key of that account', async () => {
    const child = await newChild(postmesh, parent);
    const path = `/v2/accounts/${child.id}/sub-accounts`;
    expectError(await postmesh.api(parent.key, 'GET', path), 401, 'invalid API key');
    const parents = `/v2/accounts/${parent.id}/sub-accounts`;
    expectError(await postmesh.api(child.key, 'GET', parents), 401, 'invalid API key');
  });

  it('§10.1 rule 3 gives the child an account of its own, of which the parent sees nothing', async () => {
    const child = await newChild(postmesh, parent);
    const { body: account } = await postmesh.api(child.key, 'GET', '{A}');
    expect(account).toMatchObject({
      id: child.id,
      parent_account_id: parent.id,
      name: child.name,
      about: '',
      track_opens: false,
      track_clicks: false,
      reject_bad_recipients: false,
      reject_mistyped_recipients: false,
      message_metadata_retention: 7,
      message_data_retention: 7,
      owner_id: (await postmesh.api(parent.key, 'GET', '{A}')).body.owner_id,
    });
    const domain = uniqueDomain();
    expect((await postmesh.api(child.key, 'POST', '{A}/domains', { body: { domain } })).status).toBe(201);
    expectError(await postmesh.api(parent.key, 'GET', `{A}/domains/${domain}`), 404, 'domain not found');
    expectError(
      await postmesh.api(parent.key, 'GET', `{A}/api-keys/${child.key.id}`),
      404,
      'api key not found',
    );
    for (const path of ['', '/domains', '/api-keys', '/members']) {
      const peeked = await postmesh.api(parent.key, 'GET', `/v2/accounts/${child.id}${path}`);
      expectError(peeked, 401, 'invalid API key');
    }
  });

  it("§10.1 rule 4 does not know another's child, an unknown one, or a deleted one", async () => {
    const stranger = await postmesh.newAccount();
    const theirs = await newChild(postmesh, stranger);
    const deleted = await newChild(postmesh, parent);
    await call('DELETE', `/${deleted.id}`);
    for (const id of [theirs.id, stranger.id, parent.id, randomUUID(), deleted.id]) {
      for (const [method, rest, body] of everything(id).filter(([, rest]) => rest.startsWith(`/${id}`))) {
        expectError(await call(method, rest, body), 404, NOT_FOUND);
      }
    }
    expect((await call('GET', `/${theirs.id}`, undefined, stranger.key)).body.status).toBe('active');
  });
});

describe('§10.2 the resource', () => {
  it('§10.2 table has these fields and no others', async () => {
    const made = await create({
      name: ' Acme ',
      website: 'https://Shop.Acme.Example.com/x',
      monthly_credit: 7,
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      object: 'sub_account',
      id: expect.stringMatching(UUID_V7),
      parent_account_id: parent.id,
      created_at: expect.stringMatching(TIMESTAMP),
      name: 'Acme',
      website: 'shop.acme.example.com',
      status: 'active',
      monthly_credit: 7,
      domain_count: 0,
      member_count: 0,
      last_activity_at: null,
    });
    expect((await call('GET', `/${made.body.id.toUpperCase()}`)).body).toEqual(made.body);
  });

  it('§10.2 table counts domains and members, and knows the last accepted message', async () => {
    const child = await newChild(postmesh, parent);
    const domain = await postmesh.verifiedDomain(child);
    await postmesh.api(child.key, 'POST', '{A}/domains', { body: { domain: uniqueDomain() } });
    const email = `${unique('ann')}@mail.test`;
    const member = { email, role: 'Developer' };
    expect((await postmesh.api(child.key, 'POST', '{A}/members', { body: member })).status).toBe(201);
    const sandboxed = { from: domain, to: ['ann@mail.test'], more: { sandbox: true } };
    expect((await sendLetter(postmesh, child, sandboxed)).status).toBe(202);
    const before = (await call('GET', `/${child.id}`)).body;
    expect(before).toMatchObject({ domain_count: 2, member_count: 1, last_activity_at: null });
    const at = Date.now();
    expect((await sendLetter(postmesh, child, { from: domain, to: ['ann@mail.test'] })).status).toBe(202);
    const after = (await call('GET', `/${child.id}`)).body;
    expect(Math.abs(Date.parse(after.last_activity_at) - at)).toBeLessThan(10_000);
    const listed = (await call('GET', '?limit=1')).body.data[0];
    expect(listed).toEqual(after);
  });
});

describe('§10.3 operations', () => {
  it('§10.3 list is paginated, newest first, without deleted ones', async () => {
    const account = await postmesh.newAccount();
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) ids.unshift((await newChild(postmesh, account)).id);
    await call('DELETE', `/${ids[1]}`, undefined, account.key);
    const list = async (query: string) => {
      const { body } = await call('GET', query, undefined, account.key);
      return { ids: body.data.map((one: { id: string }) => one.id), ...body.pagination };
    };
    const first = await list('?limit=2');
    expect([first.ids, first.has_more]).toEqual([[ids[0], ids[2]], true]);
    const second = await list(`?limit=2&after=${first.next_cursor}`);
    expect([second.ids, second.has_more, second.next_cursor]).toEqual([[ids[3]], false, undefined]);
    const back = await list(`?limit=2&before=${second.previous_cursor}`);
    expect(back.ids).toEqual(first.ids);
    expectError(await call('GET', '?limit=101'), 400, 'limit must be between 1 and 100');
  });

  it.each([
    ['name is required', { name: undefined }],
    ['name must be a string', { name: null }],
    ['name must not be empty', { name: '  ' }],
    ['name must be at most 255 characters', { name: 'é'.repeat(256) }],
    ['website is required', { website: undefined }],
    ['website must be a valid URL', { website: 'localhost' }],
    ['website must be a valid URL', { website: 'ftp://acme.test' }],
    ['website must be a valid URL', { website: 'acme.test/path' }],
    ['website must be at most 255 characters', { website: `https://acme.test/${'a'.repeat(240)}` }],
    ['monthly_credit must be at least 0', { monthly_credit: -1 }],
    ['monthly_credit must be at most 1000000000', { monthly_credit: 1_000_000_001 }],
    ['monthly_credit must be an integer', { monthly_credit: 0.5 }],
    ['id is not writable', { id: randomUUID() }],
    ['unknown field: plan', { plan: 'x' }],
  ])('§10.3 create refuses with "%s"', async (message, change) => {
    expectError(await create(change), 400, message);
  });

  it('§10.3 create takes names and websites that others have, and the bounds of the credit', async () => {
    const same = { name: 'é'.repeat(255), website: 'acme.test' };
    for (const monthly_credit of [0, 1_000_000_000]) {
      const made = await create({ ...same, monthly_credit });
      expect([made.status, made.body.monthly_credit]).toEqual([201, monthly_credit]);
    }
    expect((await create({ ...same, monthly_credit: null })).body.monthly_credit).toBe(0);
  });

  it('§10.3 create is idempotent', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = given();
    const first = await create(body, { headers });
    const again = await create(body, { headers });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    const other = await create({ ...body, name: 'Other' }, { headers });
    expectError(other, 422, 'idempotency key was already used with a different request payload');
  });

  it('§10.3 usage is a word of its own, not the id of a child', async () => {
    expect((await call('GET', '/usage')).body.billing_period).toBeDefined();
    expectError(await call('GET', '/nonsense'), 400, 'invalid sub_account_id');
  });

  it('§10.3 update changes what is given; a suspended child can be updated', async () => {
    const child = await newChild(postmesh, parent, { name: 'Acme', website: 'acme.test' });
    await suspend(child);
    const changed = await call('PUT', `/${child.id}`, { name: 'Other', website: null, monthly_credit: 3 });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { name: 'Other', website: 'acme.test', monthly_credit: 3, status: 'suspended' },
    ]);
    for (const body of [{}, { name: null, monthly_credit: null }]) {
      expectError(await call('PUT', `/${child.id}`, body), 400, 'at least one field must be provided');
    }
    const same = { name: ' Other ', website: 'HTTPS://acme.test/', monthly_credit: 3 };
    expectError(await call('PUT', `/${child.id}`, same), 400, 'no changes to apply');
  });

  it.each([
    ['GET', '', 'sub-accounts:read'],
    ['POST', '', 'sub-accounts:write'],
    ['GET', '/usage', 'sub-accounts:usage'],
    ['GET', '/{id}', 'sub-accounts:read'],
    ['PUT', '/{id}', 'sub-accounts:write'],
    ['DELETE', '/{id}', 'sub-accounts:delete'],
    ['POST', '/{id}/suspend', 'sub-accounts:suspend'],
    ['POST', '/{id}/unsuspend', 'sub-accounts:suspend'],
    ['POST', '/{id}/domains/shop.test/unpause', 'sub-accounts:suspend'],
  ])('§10.3 %s sub-accounts%s needs %s', async (method, rest, scope) => {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    const at = rest.replace('{id}', randomUUID());
    const others = ['read', 'write', 'delete', 'suspend', 'usage'].map((one) => `sub-accounts:${one}`);
    const without = await postmesh.newKey(parent, { scopes: others.filter((one) => one !== scope) });
    const refused = await call(method, at, body, without);
    expectError(refused, 403, 'insufficient permissions for the required scope');
    const withIt = await postmesh.newKey(parent, { scopes: [scope] });
    expect((await call(method, at, body, withIt)).status).not.toBe(403);
  });
});

describe('§10.4 state rules', () => {
  it('§10.4 rule 1 suspends with a reason; the first one stays', async () => {
    const child = await newChild(postmesh, parent);
    expect([
      (await suspend(child, ' first ')).body.status,
      (await suspend(child, 'second')).body.status,
    ]).toEqual(['suspended', 'suspended']);
    const kept = await postmesh.sql(
      `select suspension_reason, suspended_by, suspended_at is not null as dated
       from accounts.accounts where id = $1`,
      [child.id],
    );
    expect(kept).toEqual([{ suspension_reason: 'first', suspended_by: 'parent', dated: true }]);
    for (const [body, message] of [
      [{}, 'reason is required'],
      [{ reason: ' ' }, 'reason must not be empty'],
      [{ reason: 'x'.repeat(501) }, 'reason must be at most 500 characters'],
    ]) {
      expectError(await call('POST', `/${child.id}/suspend`, body), 400, message as string);
    }
    expectError(await call('POST', `/${child.id}/suspend`), 400, 'invalid request body');
  });

  it('§10.4 rule 2 unsuspends; one that is not suspended is answered as it is', async () => {
    const child = await newChild(postmesh, parent);
    await suspend(child);
    for (let at = 0; at < 2; at += 1) {
      const resumed = await unsuspend(child);
      expect([resumed.status, resumed.body.status]).toEqual([200, 'active']);
    }
  });

  it('§10.4 rule 2 leaves what the operator began to the operator', async () => {
    const child = await newChild(postmesh, parent);
    await operate(child, 'suspend', { reason: 'abuse' });
    expect(await statusOf(child)).toBe('suspended');
    expectError(await unsuspend(child), 403, 'this sub account was paused by the service operator');
    expect(await statusOf(child)).toBe('suspended');
    await operate(child, 'resume');
    expect(await statusOf(child)).toBe('active');
  });

  it("§10.4 rule 3 shows the parent's suspension until that ends", async () => {
    const account = await postmesh.newAccount();
    const [child, own] = [await newChild(postmesh, account), await newChild(postmesh, account)];
    const ask = (method: string, rest: string, body?: unknown) => call(method, rest, body, account.key);
    await ask('POST', `/${own.id}/suspend`, { reason: 'unpaid' });
    await operate(account, 'suspend', { reason: 'unpaid' });
    const states = async () => {
      const { body } = await ask('GET', '');
      return body.data.map((one: { status: string }) => one.status);
    };
    expect(await states()).toEqual(['suspended', 'parent-suspended']);
    const tried = await ask('POST', `/${child.id}/unsuspend`);
    expect([tried.status, tried.body.status]).toEqual([200, 'parent-suspended']);
    await operate(account, 'resume');
    expect(await states()).toEqual(['suspended', 'active']);
  });

  it.each([
    ['suspended', (_parent: Account, child: Account) => suspend(child)],
    [
      'suspended by the operator',
      (_parent: Account, child: Account) => operate(child, 'suspend', { reason: 'x' }),
    ],
    ['parent-suspended', (above: Account) => operate(above, 'suspend', { reason: 'x' })],
  ])(
    '§10.4 rule 4 a child that is %s may not send nor manage domains, and may do the rest',
    async (how, pause) => {
      const above = how === 'parent-suspended' ? await postmesh.newAccount() : parent;
      const child = await newChild(postmesh, above);
      const domain = await postmesh.verifiedDomain(child);
      expect((await pause(above, child)).status).toBe(200);
      for (const more of [{}, { sandbox: true }]) {
        const letter = { from: domain, to: ['ann@mail.test'], more };
        expectError(await sendLetter(postmesh, child, letter), 403, 'account is suspended');
      }
      const added = await postmesh.api(child.key, 'POST', '{A}/domains', {
        body: { domain: uniqueDomain() },
      });
      expectError(added, 403, 'account is suspended, contact support');
      for (const path of [
        '/v2/ping',
        '{A}',
        '{A}/domains',
        `{A}/domains/${domain}`,
        '{A}/api-keys',
        '{A}/webhooks',
      ]) {
        expect((await postmesh.api(child.key, 'GET', path)).status).toBe(200);
      }
      expect((await call('PUT', `/${child.id}`, { name: 'Other' }, above.key)).status).toBe(200);
    },
  );

  it('§10.4 rule 4 what was accepted waits, and leaves after the suspension', async () => {
    const child = await newChild(postmesh, parent);
    const domain = await postmesh.verifiedDomain(child);
    const email = `${unique('ann')}@mail.test`;
    const schedule = { first_attempt: new Date(Date.now() + 6_000).toISOString() };
    const sent = await sendLetter(postmesh, child, { from: domain, to: [email], more: { schedule } });
    expect(sent.status).toBe(202);
    await suspend(child);
    await eventually(() => deliveryStates(email)).toEqual(['held']);
    await unsuspend(child);
    await eventually(async () => (await postmesh.lettersTo(email)).length, 20_000).toBe(1);
  });

  it('§10.4 rule 4 what waits too long expires by its own schedule, and webhooks tell so', async () => {
    const receiver = await startHttpReceiver();
    try {
      const child = await newChild(postmesh, parent);
      const domain = await postmesh.verifiedDomain(child);
      const webhook = { name: 'All', url: receiver.url, scope: 'global', on_failed: true };
      const made = await postmesh.api(child.key, 'POST', '{A}/webhooks', { body: webhook });
      expect(made.status).toBe(201);
      const schedule = {
        first_attempt: new Date(Date.now() + 5_000).toISOString(),
        expires: new Date(Date.now() + 9_000).toISOString(),
      };
      const email = `${unique('ann')}@mail.test`;
      const sent = await sendLetter(postmesh, child, { from: domain, to: [email], more: { schedule } });
      expect(sent.status).toBe(202);
      await suspend(child);
      await eventually(() => typesOf(receiver), 25_000).toEqual(['message.failed']);
      expect(await postmesh.lettersTo(email)).toEqual([]);
    } finally {
      await receiver.close();
    }
  });

  it('§10.4 rule 5 a deleted child is gone: its keys at once, and it for its parent', async () => {
    const child = await newChild(postmesh, parent);
    const further = await newChildKey(postmesh, parent, child.id);
    expect((await postmesh.api(further, 'GET', '/v2/ping')).status).toBe(200);
    const gone = await call('DELETE', `/${child.id}`);
    expect([gone.status, gone.body]).toEqual([200, { message: 'sub account deleted' }]);
    for (const key of [child.key, further]) {
      expectError(await postmesh.api(key, 'GET', '/v2/ping'), 401, 'invalid API key');
    }
    for (const [method, rest, body] of everything(child.id).filter(([, rest]) =>
      rest.startsWith(`/${child.id}`),
    )) {
      expectError(await call(method, rest, body), 404, NOT_FOUND);
    }
  });

  it('§10.4 rule 5 deletes from any state', async () => {
    for (const prepare of [suspend, (one: Account) => operate(one, 'suspend', { reason: 'x' })]) {
      const child = await newChild(postmesh, parent);
      await prepare(child);
      expect((await call('DELETE', `/${child.id}`)).status).toBe(200);
      expectError(await postmesh.api(child.key, 'GET', '/v2/ping'), 401, 'invalid API key');
    }
  });

  it('§10.4 rule 5 cancels what a deleted child has not sent, stops its webhooks and frees its domains', async () => {
    const child = await newChild(postmesh, parent);
    const domain = await postmesh.verifiedDomain(child);
    const webhook = { name: 'All', url: 'http://127.0.0.1:9/', scope: 'global', on_delivered: true };
    expect((await postmesh.api(child.key, 'POST', '{A}/webhooks', { body: webhook })).status).toBe(201);
    const email = `${unique('ann')}@mail.test`;
    const schedule = { first_attempt: new Date(Date.now() + 3_600_000).toISOString() };
    const sent = await sendLetter(postmesh, child, { from: domain, to: [email], more: { schedule } });
    expect(sent.status).toBe(202);
    await eventually(() => deliveryStates(email)).toHaveLength(1);
    await call('DELETE', `/${child.id}`);
    const messages = 'select status from messages.messages where account_id = $1';
    await eventually(() => postmesh.sql(messages, [child.id])).toEqual([{ status: 'Canceled' }]);
    await eventually(() => deliveryStates(email)).toEqual([]);
    const webhooks = 'select count(*)::int as left from webhooks.webhooks where account_id = $1';
    await eventually(() => postmesh.sql(webhooks, [child.id])).toEqual([{ left: 0 }]);
    const claim = async () => {
      const claimed = await postmesh.api(parent.key, 'POST', '{A}/domains', { body: { domain } });
      return claimed.status;
    };
    await eventually(claim).toBe(201);
  });
});

describe('§10.4 credit', () => {
  const LIMIT = 'monthly sending limit reached';
  let child: Account;
  let domain: string;
  beforeAll(async () => {
    child = await newChild(postmesh, parent, { monthly_credit: 3 });
    domain = await postmesh.verifiedDomain(child);
  });
  const people = (count: number) => Array.from({ length: count }, () => `${unique('ann')}@mail.test`);
  const send = async (count: number, more: object = {}, from = { account: child, domain }) => {
    const letter = { from: from.domain, to: people(count), more };
    const { status, body } = await sendLetter(postmesh, from.account, letter);
    return status === 202 ? 202 : [status, body.message];
  };
  const credit = (account: Account, monthly_credit: number) =>
    call('PUT', `/${account.id}`, { monthly_credit });

  it('§10.4 rule 6 counts each recipient, refuses a request as a whole, and leaves the sandbox alone', async () => {
    expect(await send(2)).toBe(202);
    expect(await send(2)).toEqual([403, LIMIT]);
    expect(await send(5, { sandbox: true })).toBe(202);
    expect(await send(1)).toBe(202);
    expect(await send(1)).toEqual([403, LIMIT]);
    expect(await send(5, { sandbox: true })).toBe(202);
  });

  it('§10.4 rule 6 has a new cap in the very next request', async () => {
    await credit(child, 4);
    expect(await send(1)).toBe(202);
    expect(await send(1)).toEqual([403, LIMIT]);
    await credit(child, 0);
    expect(await send(3)).toBe(202);
    await credit(child, 2);
    expect(await send(1)).toEqual([403, LIMIT]);
  });

  it('§10.4 rule 6 is exact however many ask at once', async () => {
    const many = await newChild(postmesh, parent, { monthly_credit: 10 });
    const from = { account: many, domain: await postmesh.verifiedDomain(many) };
    const answers = await Promise.all(Array.from({ length: 25 }, () => send(1, {}, from)));
    expect(answers.filter((answer) => answer === 202)).toHaveLength(10);
  });

  it("§10.4 rule 7 a parent's credit is shared by parent and children, and the API does not show it", async () => {
    const account = await postmesh.newAccount();
    const [one, other] = [
      await newChild(postmesh, account),
      await newChild(postmesh, account, { monthly_credit: 1 }),
    ];
    const sender = async (who: Account) => ({ account: who, domain: await postmesh.verifiedDomain(who) });
    const [top, first, second] = [await sender(account), await sender(one), await sender(other)];
    await postmesh.operator('PUT', `/operator/accounts/accounts/${account.id}`, { monthly_credit: 4 });
    expect(await send(1, {}, top)).toBe(202);
    expect(await send(1, {}, second)).toBe(202);
    expect(await send(1, {}, second)).toEqual([403, LIMIT]);
    expect(await send(2, {}, first)).toBe(202);
    for (const from of [top, first]) expect(await send(1, {}, from)).toEqual([403, LIMIT]);
    const shown = await call('GET', `/${one.id}`, undefined, account.key);
    expect(shown.body.monthly_credit).toBe(0);
    expect((await postmesh.api(account.key, 'GET', '{A}')).body).not.toHaveProperty('monthly_credit');
  });
});

const typesOf = (receiver: HttpReceiver): string[] =>
  receiver.requests.map(({ body }) => (JSON.parse(body.toString()) as { type: string }).type);

async function deliveryStates(recipient: string): Promise<string[]> {
  const rows = await postmesh.sql<{ state: string }>(
    'select state from delivery_worker.deliveries where recipient = $1',
    [recipient],
  );
  return rows.map(({ state }) => state);
}
