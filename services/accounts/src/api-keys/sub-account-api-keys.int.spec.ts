import { KeyLookupResponse, newId } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFamily, type Family } from '../sub-accounts/testing/family.js';

const database = testDatabase();
let family: Family;
let child: string;

beforeAll(async () => {
  family = await startFamily(database.url);
  child = await family.child();
});
afterAll(() => family.accounts.stop());

const call: Family['call'] = (...request) => family.call(...request);
const create = (body: object = {}, more: object = {}, owner = child) =>
  call('POST', `/${owner}/api-keys`, {
    body: { label: 'Production', scopes: ['lists:read'], ...body },
    ...more,
  });

async function lookUp(secret: string) {
  const hashes = family.accounts.service
    .get(Pepper)
    .candidates(secret)
    .map((hash) => hash.toString('base64'));
  const { body } = await family.accounts.internal('POST', '/internal/keys/lookup', { hashes });
  return KeyLookupResponse.parse(body).keys[0];
}

describe('§10.3 the keys of a sub-account', () => {
  it('belong to the child and show their secret once', async () => {
    const { body: key, status } = await create();
    expect(status).toBe(201);
    expect(key).toMatchObject({ object: 'api_key', account_id: child, label: 'Production' });
    expect(key.secret_key).toMatch(/^pm-sk-[A-Za-z0-9]{64}$/);
    const { secret_key: secret, ...rest } = key;
    expect((await call('GET', `/${child}/api-keys/${key.id}`)).body).toEqual(rest);
    expect((await call('GET', `/${child}/api-keys?limit=1`)).body.data).toEqual([rest]);
    expect(await lookUp(secret)).toMatchObject({
      principal: { account_id: child, account: { parent_account_id: family.parent, status: 'active' } },
    });
    expect(await family.sql('select created_by from api_keys where id = $1', [key.id])).toEqual([
      { created_by: null },
    ]);
  });

  it("§2.3 rule 3 are scoped to the child's domains, not the parent's", async () => {
    family.neighbours.domains.set('child.test', { owner: child, id: newId() });
    family.neighbours.domains.set('parent.test', { owner: family.parent, id: newId() });
    const made = await create({ scopes: ['messages:send:CHILD.test.'] });
    expect(made.body.scopes[0].scope).toBe('messages:send:{child.test}');
    const refused = await create({ scopes: ['messages:send:{parent.test}'] });
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: 'domain not found in scope: messages:send:{parent.test}' },
    ]);
  });

  it.each(['sub-accounts:read', 'sub-account-api-keys:write'])(
    '§2.3 rule 7 are never scoped to %s',
    async (scope) => {
      const refused = await create({ scopes: [scope] });
      expect([refused.status, refused.body.message]).toEqual([
        400,
        `scope is not allowed for a sub account key: ${scope}`,
      ]);
    },
  );

  it('§4.4 show the secret again for the same idempotency key of the parent', async () => {
    const headers = { 'idempotency-key': newId() };
    const [first, again] = [await create({}, { headers }), await create({}, { headers })];
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.text,
      'true',
    ]);
    const held = { 'idempotency-key': newId() };
    expect((await create({ label: '' }, { headers: held })).status).toBe(400);
    const retried = await create({ label: '' }, { headers: held });
    expect([retried.status, Number(retried.headers['retry-after']) > 0]).toEqual([409, true]);
  });

  it('change without a guard against lockout', async () => {
    const { body: key } = await create();
    const changed = await call('PUT', `/${child}/api-keys/${key.id}`, {
      body: { label: 'Other', ip_allow_list: ['192.0.2.0/24'] },
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ label: 'Other', ip_allow_list: ['192.0.2.0/24'] });
    for (const [body, message] of [
      [{}, 'at least one field must be provided'],
      [{ label: 'Other' }, 'no changes to apply'],
    ]) {
      const refused = await call('PUT', `/${child}/api-keys/${key.id}`, { body });
      expect([refused.status, refused.body]).toEqual([400, { message }]);
    }
  });

  it('are deleted once, with who they were', async () => {
    const { body: key } = await create();
    const gone = await call('DELETE', `/${child}/api-keys/${key.id}`);
    expect([gone.status, gone.body]).toEqual([
      200,
      { message: `api key ${key.id} (Production) deleted successfully` },
    ]);
    expect(await lookUp(key.secret_key)).toBeUndefined();
    expect((await call('DELETE', `/${child}/api-keys/${key.id}`)).body).toEqual({
      message: 'api key not found',
    });
  });

  it('are not those of the parent or of another child', async () => {
    const { body: key } = await create();
    const other = await family.child();
    const found = await call('GET', `/${other}/api-keys/${key.id}`);
    expect([found.status, found.body]).toEqual([404, { message: 'api key not found' }]);
    const own = await family.accounts.call('GET', `/v2/accounts/${family.parent}/api-keys/${key.id}`, {
      account_id: family.parent,
    });
    expect(own.status).toBe(404);
  });

  it('may be made while the child is suspended', async () => {
    const paused = await family.child();
    await call('POST', `/${paused}/suspend`, { body: { reason: 'x' } });
    const made = await create({}, {}, paused);
    expect([made.status, (await lookUp(made.body.secret_key))?.principal.account.status]).toEqual([
      201,
      'suspended',
    ]);
  });

  it.each([
    ['GET', '/nonsense/api-keys', 400, 'invalid sub_account_id'],
    ['PUT', `/${newId()}/api-keys/nonsense`, 400, 'invalid key_id'],
    ['GET', `/${newId()}/api-keys`, 404, 'sub account not found'],
    ['DELETE', `/${newId()}/api-keys/${newId()}`, 404, 'sub account not found'],
  ] as const)('%s %s is %d', async (method, rest, status, message) => {
    const refused = await call(method, rest, method === 'PUT' ? { body: { label: 'x' } } : {});
    expect([refused.status, refused.body]).toEqual([status, { message }]);
  });

  it('are refused, with the child, from its deletion on, whatever is made in that moment', async () => {
    const gone = await family.child();
    const { body: before } = await create({}, {}, gone);
    const [made, deleted] = await Promise.all([create({}, {}, gone), call('DELETE', `/${gone}`)]);
    expect(deleted.status).toBe(200);
    expect(await lookUp(before.secret_key)).toBeUndefined();
    if (made.status === 201) expect(await lookUp(made.body.secret_key)).toBeUndefined();
    else expect([made.status, made.body]).toEqual([404, { message: 'sub account not found' }]);
  });

  it.each([
    ['GET', '', 'sub-account-api-keys:read'],
    ['POST', '', 'sub-account-api-keys:write'],
    ['DELETE', `/${newId()}`, 'sub-account-api-keys:delete'],
  ] as const)('%s api-keys%s needs %s', async (method, rest, scope) => {
    const body = method === 'POST' ? { body: {} } : {};
    const without = await call(method, `/${child}/api-keys${rest}`, { ...body, scopes: ['api-keys:write'] });
    expect([without.status, without.body]).toEqual([
      403,
      { message: 'insufficient permissions for the required scope' },
    ]);
    const withIt = await call(method, `/${child}/api-keys${rest}`, { ...body, scopes: [scope] });
    expect(withIt.status).not.toBe(403);
  });
});
