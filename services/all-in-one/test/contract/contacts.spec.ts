import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  UUID_V7,
  type Account,
  type ApiKey,
} from './harness.js';
import { send as sendRequest } from './http-request.js';
import { ok } from './sender.js';

const postmesh = sharedInstallation();
let account: Account;
let other: Account;
beforeAll(async () => {
  [account, other] = [await postmesh.newAccount(), await postmesh.newAccount()];
  ok(await postmesh.operator('POST', attributesOf(account), { key: 'score', type: 'number' }), 201);
});

const attributesOf = ({ id }: Account) => `/operator/marketing/accounts/${id}/attributes`;
const api = (method: string, rest = '', body?: unknown, by: ApiKey = account.key) =>
  postmesh.api(by, method, `{A}/contacts${rest}`, body === undefined ? {} : { body });
const address = () => `${unique('Ann').toLowerCase()}@mail.test`;
const create = async (more: object = {}) => ok(await api('POST', '', { email: address(), ...more }), 201);
const newList = async () =>
  ok(await postmesh.api(account.key, 'POST', '{A}/lists', { body: { name: 'List' } }), 201).id as string;
const listed = (list: string) => postmesh.api(account.key, 'GET', `{A}/lists/${list}`);
const put = (list: string, contact: string, status = 'confirmed') =>
  postmesh.api(account.key, 'PUT', `{A}/lists/${list}/contacts/${contact}`, {
    body: { subscription_status: status },
  });

describe('spec 3-marketing §0: conventions, on contacts', () => {
  it('spec 3-marketing §0 rule 1: times are in UTC', async () => {
    const made = ok(await api('POST', '', { email: address() }), 201);
    expect(made).toMatchObject({
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: made.created_at,
    });
    expect(ok(await api('GET', `/${made.id}`), 200)).toEqual(made);
  });

  it('spec 3-marketing §0 rule 2, §0 rule 3: a key needs the scope of the family, and no domain', async () => {
    const reader = await postmesh.newKey(account, { scopes: ['contacts:read'] });
    expect((await api('GET', '', undefined, reader)).status).toBe(200);
    expectError(await api('POST', '', {}, reader), 403, 'insufficient permissions for the required scope');
    expect((await postmesh.api(null, 'GET', `/v2/accounts/${account.id}/contacts`)).status).toBe(401);
    const slow = await postmesh.newAccount();
    const rate_limits = { general: { per_second: 1, burst: 1 } };
    ok(await postmesh.operator('PUT', `/operator/accounts/accounts/${slow.id}`, { rate_limits }), 200);
    await eventually(async () => (await api('GET', '', undefined, slow.key)).status).toBe(429);
  });

  it('spec 3-marketing §0 rule 5: of another account is 404, and an address is decoded once on its way', async () => {
    const { id, email } = await create();
    expectError(await api('GET', `/${id}`, undefined, other.key), 404, 'contact not found');
    for (const value of [encodeURIComponent('a/b@x.test'), '%2525']) {
      expectError(await api('GET', `/${value}`), 404, 'contact not found');
    }
    expect(ok(await api('GET', `/${encodeURIComponent(email)}`), 200).id).toBe(id);
    expectError(await postmesh.api(account.key, 'GET', '{A}/lists/no-uuid'), 400, 'invalid list_id');
  });
});

describe('spec 3-marketing §1: contacts', () => {
  it('spec 3-marketing §11: attributes are defined by operators, and that is audited', async () => {
    const path = attributesOf(account);
    ok(await postmesh.operator('POST', path, { key: 'brief', type: 'boolean' }), 201);
    ok(await postmesh.operator('DELETE', `${path}/brief`), 200);
    const audit = async () =>
      ok(await postmesh.operator('GET', '/operator/accounts/audit?actor=operator&limit=100'), 200).data.map(
        ({ details }: { details: object }) => JSON.stringify(details),
      );
    await eventually(async () =>
      (await audit()).some((text: string) => text.includes('attributes/brief')),
    ).toBe(true);
  });

  it('spec 3-marketing §12: there is no free search, no list of a contact and no export in v2', async () => {
    expectError(await api('POST', '', { email: address(), lists: [] }), 400, 'unknown field: lists');
    expectError(await api('POST', '/batch', { data: [{}], segment: 'x' }), 400, 'unknown field: segment');
    expect((await postmesh.api(account.key, 'GET', '{A}/segments')).status).toBe(404);
  });
});

describe('spec 3-marketing §1.5: a deleted contact', () => {
  it('spec 3-marketing §1.5 C3, §1.4 rule 4: leaves suppressions of its address exactly as they are', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const contact = await create();
    const body = { email: contact.email, expires_at: '2090-01-01T00:00:00Z', domain };
    ok(await postmesh.api(account.key, 'POST', '{A}/suppressions', { body }), 201);
    const rows = () => postmesh.sql('select * from messages.suppressions where email = $1', [contact.email]);
    const before = await rows();
    expect(before).toHaveLength(1);
    ok(await api('PUT', `/${contact.id}`, { unsubscribed: true, status: 'blocked' }), 200);
    ok(await api('PUT', `/${contact.id}`, { unsubscribed: false, status: 'enabled' }), 200);
    ok(await api('DELETE', `/${contact.id}`), 200);
    await create({ email: contact.email });
    expect(await rows()).toEqual(before);
  });

  it('§14.3 rule 5: no operation on contacts touches a suppression', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const [contact, list] = [await create(), await newList()];
    ok(await put(list, contact.id), 200);
    const suppress = { email: contact.email, expires_at: '2090-01-01T00:00:00Z', domain };
    const [made] = ok(
      await postmesh.api(account.key, 'POST', '{A}/suppressions', { body: suppress }),
      201,
    ).data;
    expect(ok(await listed(list), 200).contact_count).toBe(1);
    ok(await api('POST', '/batch', { data: [{ email: contact.email, unsubscribed: true }] }), 200);
    const shown = ok(
      await postmesh.api(account.key, 'GET', `{A}/suppressions?email=${encodeURIComponent(contact.email)}`),
      200,
    );
    expect(shown.data).toEqual([made]);
    expect(ok(await api('GET', `/${contact.id}`), 200).unsubscribed).toBe(true);
  });

  it('spec 3-marketing §1.5 C8: needs the scope to delete, and takes no idempotency key', async () => {
    const contact = await create();
    const writer = await postmesh.newKey(account, { scopes: ['contacts:write'] });
    expectError(
      await api('DELETE', `/${contact.id}`, undefined, writer),
      403,
      'insufficient permissions for the required scope',
    );
    const remove = () =>
      postmesh.api(account.key, 'DELETE', `{A}/contacts/${contact.id}`, {
        headers: { 'idempotency-key': 'the-same' },
      });
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 404]);
  });
});

describe('imports and exports of contacts', () => {
  it('work through the operator interface', async () => {
    const [email, list] = [address(), await newList()];
    const { operator_url: url, operator_token: token } = postmesh.credentials;
    const sent = await sendRequest({
      method: 'POST',
      url: `${url.replace('//localhost:', '//127.0.0.1:')}/operator/marketing/accounts/${account.id}/contact-imports?list_id=${list}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: `email,first_name,score\n${email},"Ann, of two",7\nnonsense,,\n`,
    });
    expect(sent.status).toBe(202);
    const path = `/operator/marketing/contact-imports/${sent.body.id}`;
    await eventually(async () => (await postmesh.operator('GET', path)).body.state).toBe('done');
    expect((await postmesh.operator('GET', path)).body).toMatchObject({
      created: 1,
      listed: 1,
      errors: 1,
      first_errors: [{ line: 3, text: 'nonsense,,', reason: 'email is not a valid email address' }],
    });
    expect(ok(await listed(list), 200).contact_count).toBe(1);
    const { body } = await postmesh.operator(
      'GET',
      `/operator/marketing/accounts/${account.id}/contact-export?format=csv`,
    );
    expect(body.text).toContain(`\n${email},"Ann, of two",`);
    expect(body.total).toBe(body.contacts);
  });
});
