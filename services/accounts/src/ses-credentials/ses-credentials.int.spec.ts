import { KeyLookupResponse } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { SecretBox } from '@postmesh/secrets';
import { memberOf, rotateSecrets, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';

const database = testDatabase();
const [OLD, NEW] = ['the-key-of-the-first-year-long-enough', 'the-key-of-the-second-year-long-enough'];
let accounts: TestService;
beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    settings: { secretKeys: [NEW, OLD] },
    neighbours: { domains: () => ({ status: 200, body: [] }) },
  });
});
afterAll(() => accounts.stop());

async function newAccount(): Promise<string> {
  const body = { name: 'Shop', owner_email: `${newId()}@mail.test` };
  return (await accounts.internal('POST', '/operator/accounts', body)).body.id as string;
}

interface Key {
  accountId: string;
  id: string;
}

async function newKey(accountId: string, scopes = ['messages:send:all'], more: object = {}): Promise<Key> {
  const path = `/v2/accounts/${accountId}/api-keys`;
  const made = await accounts.call('POST', path, {
    account_id: accountId,
    body: { label: 'app', scopes, ...more },
  });
  expect(made.status).toBe(201);
  return { accountId, id: made.body.id };
}

const ask = (method: 'POST' | 'DELETE', { accountId, id }: Key, principal = memberOf(accountId)) =>
  accounts.call(method, `/console/api/api-keys/${id}/ses-credential`, { principal });

async function lookUp(...access_key_ids: string[]) {
  const { status, body } = await accounts.internal('POST', '/internal/ses-credentials/lookup', {
    access_key_ids,
  });
  expect(status).toBe(200);
  return KeyLookupResponse.parse(body);
}

describe('an access key', () => {
  it('is made for an API key, with its scopes and its allow list, and its secret is sealed', async () => {
    const key = await newKey(await newAccount(), ['messages:send:all'], { ip_allow_list: ['192.0.2.1'] });
    const { status, body, text } = await ask('POST', key);
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'ses_credential',
      api_key_id: key.id,
      access_key_id: expect.stringMatching(/^AKPM[A-Z2-7]{20}$/),
      secret_access_key: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
      created_at: expect.any(String),
    });
    expect(text).toContain(body.secret_access_key);
    const { keys } = await lookUp(body.access_key_id, 'AKPMUNKNOWN', "' or true --", 'a\u0000b');
    expect(keys).toMatchObject([
      {
        hash: body.access_key_id,
        principal: { account_id: key.accountId, key_id: key.id, scopes: ['messages:send:all'] },
        ip_allow_list: ['192.0.2.1/32'],
        blocked: false,
      },
    ]);
    const box = accounts.service.get(SecretBox);
    expect(box.open(keys[0]!.sealed_signing_secret!, `ses-credential/${key.id}`)).toBe(
      body.secret_access_key,
    );
    const rows = await accounts.service.get(DataSource).query('select * from ses_credentials');
    expect(JSON.stringify(rows)).not.toContain(body.secret_access_key);
  });

  it('ends with another one, with its deletion, and with the API key', async () => {
    const key = await newKey(await newAccount());
    const [first, second] = [(await ask('POST', key)).body, (await ask('POST', key)).body];
    expect((await lookUp(first.access_key_id)).keys).toEqual([]);
    expect((await lookUp(second.access_key_id)).keys).toHaveLength(1);
    expect((await ask('DELETE', key)).status).toBe(200);
    expect((await lookUp(second.access_key_id)).keys).toEqual([]);
    const third = (await ask('POST', key)).body;
    const path = `/v2/accounts/${key.accountId}/api-keys/${key.id}`;
    expect((await accounts.call('DELETE', path, { account_id: key.accountId })).status).toBe(200);
    expect((await lookUp(third.access_key_id)).keys).toEqual([]);
    expect((await ask('POST', key)).status).toBe(404);
  });

  it('is not found for a deleted account', async () => {
    const key = await newKey(await newAccount());
    const { body } = await ask('POST', key);
    await accounts.internal('DELETE', `/operator/accounts/${key.accountId}`, { reason: 'x' });
    expect((await lookUp(body.access_key_id)).keys).toEqual([]);
  });

  it('is for members who could make such an API key, of its account', async () => {
    const key = await newKey(await newAccount(), ['*']);
    const developer = { ...memberOf(key.accountId), scopes: ['api-keys:write', 'messages:send:all'] };
    expect((await ask('POST', key, developer)).status).toBe(403);
    expect((await ask('POST', key, { ...developer, scopes: ['api-keys:read'] })).status).toBe(403);
    expect((await ask('POST', key, memberOf(await newAccount()))).status).toBe(404);
    expect((await ask('DELETE', key, memberOf(await newAccount()))).status).toBe(404);
  });

  it('has an entry in the audit, without its secret', async () => {
    const key = await newKey(await newAccount());
    const { body } = await ask('POST', key);
    await ask('DELETE', key);
    const entries = await accounts.service
      .get(DataSource)
      .query(
        `select action, details from audit_entries where subject_id = $1 and action like 'ses-%' order by seq`,
        [key.id],
      );
    expect(entries).toMatchObject([
      { action: 'ses-credential.create', details: { label: 'app', access_key_id: body.access_key_id } },
      { action: 'ses-credential.delete', details: { label: 'app' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(body.secret_access_key);
  });

  it('stays readable after a rotation of the secret keys', async () => {
    const key = await newKey(await newAccount());
    const { body } = await ask('POST', key);
    const sealed = new SecretBox([OLD]).seal(body.secret_access_key, `ses-credential/${key.id}`);
    await accounts.service
      .get(DataSource)
      .query('update ses_credentials set sealed_secret = $2 where api_key_id = $1', [key.id, sealed]);
    expect(await rotateSecrets(accounts)).toMatchObject({ 'ses-credentials': { older: 0, unreadable: 0 } });
    const { keys } = await lookUp(body.access_key_id);
    expect(new SecretBox([NEW]).open(keys[0]!.sealed_signing_secret!, `ses-credential/${key.id}`)).toBe(
      body.secret_access_key,
    );
  });
});
