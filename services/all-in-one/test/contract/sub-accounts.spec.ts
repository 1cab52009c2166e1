import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyOperation, everyOperationOn, newChild, newChildKey, sendMessage } from './families.js';
import {
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

describe('§10.1 model', () => {
  it('§10.1 rule 1 is for partners: without the flag everything is refused, in the very next request', async () => {
    const account = await postmesh.newAccount();
    const child = await newChild(postmesh, account);
    const setFlag = (platform_partner: boolean) =>
      postmesh.operator('PUT', `/operator/accounts/accounts/${account.id}`, { platform_partner });
    expect((await setFlag(false)).status).toBe(200);
    const weak = await postmesh.newKey(account, { scopes: ['lists:read'] });
    for (const [method, rest, body] of everyOperation(child.id)) {
      expectError(await call(method, rest, body, account.key), 403, OFF);
      expectError(await call(method, rest, body, weak), 403, OFF);
    }
    await setFlag(true);
    expect((await call('GET', `/${child.id}`, undefined, account.key)).status).toBe(200);
  });

  it('§10.1 rule 2 knows no nesting: a child is refused everything, whatever its scopes', async () => {
    const child = await newChild(postmesh, parent);
    const weak = await newChildKey(postmesh, parent, child.id, { scopes: ['lists:read'] });
    for (const [method, rest, body] of everyOperation(child.id)) {
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
      website: (await call('GET', `/${child.id}`)).body.website,
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
      for (const [method, rest, body] of everyOperationOn(id)) {
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
    expect((await sendMessage(postmesh, child, sandboxed)).status).toBe(202);
    const before = (await call('GET', `/${child.id}`)).body;
    expect(before).toMatchObject({ domain_count: 2, member_count: 1, last_activity_at: null });
    const at = Date.now();
    expect((await sendMessage(postmesh, child, { from: domain, to: ['ann@mail.test'] })).status).toBe(202);
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
    ['website must not be empty', { website: '' }],
    ['website must be a valid URL', { website: 'localhost' }],
    ['website must be a valid URL', { website: 'localhost', monthly_credit: -1 }],
    ['website must be a valid URL', { website: 'ftp://acme.test' }],
    ['website must be a valid URL', { website: 'acme.test/path' }],
    ['website must be at most 255 characters', { website: `https://acme.test/${'a'.repeat(240)}` }],
    ['monthly_credit must be at least 0', { monthly_credit: -1 }],
    ['monthly_credit must be at most 1000000000', { monthly_credit: 1_000_000_001 }],
    ['monthly_credit must be an integer', { monthly_credit: 0.5 }],
    ['monthly_credit must be a number', { monthly_credit: '1' }],
    ['id is not writable', { id: randomUUID() }],
    ['status is not writable', { status: 'active' }],
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
    for (const method of ['GET', 'DELETE']) {
      expectError(await call(method, '/nonsense'), 400, 'invalid sub_account_id');
    }
  });

  it('§10.3 update changes the given fields; a suspended child can be updated', async () => {
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
    const moved = { website: 'HTTP://New.test:8080', monthly_credit: null };
    expect((await call('PUT', `/${child.id.toUpperCase()}`, moved)).body).toMatchObject({
      website: 'new.test',
      monthly_credit: 3,
    });
    expect((await call('PUT', `/${child.id}`, { monthly_credit: 0 })).body.monthly_credit).toBe(0);
    for (const [body, message] of [
      [{ website: 'x' }, 'website must be a valid URL'],
      [{ domain_count: 1 }, 'domain_count is not writable'],
    ] as const) {
      expectError(await call('PUT', `/${child.id}`, body), 400, message);
    }
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
