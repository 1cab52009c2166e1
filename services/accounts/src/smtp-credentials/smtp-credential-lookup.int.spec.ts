import { CacheLeaseResponse, SmtpCredentialLookupResponse } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { rotateSecrets, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';

// proven again: the answer to a gateway field by field, hashes under an older pepper, and a deletion that waits for leases
const database = testDatabase();
const SHOP = newId();
const [OLD, NEW] = ['the-key-of-the-first-year-long-enough', 'the-key-of-the-second-year-long-enough'];
let accounts: TestService;
beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    settings: { secretKeys: [NEW, OLD] },
    neighbours: { domains: () => ({ status: 200, body: [{ domain_id: SHOP, domain: 'shop.test' }] }) },
  });
});
afterAll(() => accounts.stop());

interface Login {
  accountId: string;
  id: string;
  username: string;
  password: string;
}

const operate = (rest: string, body: object = {}) =>
  accounts.internal('POST', `/operator/accounts${rest}`, body);

async function newAccount(): Promise<string> {
  const made = await operate('', { name: 'Shop', owner_email: `${newId()}@mail.test` });
  return made.body.id as string;
}

async function newLogin(accountId: string, body: object = {}): Promise<Login> {
  const path = `/v2/accounts/${accountId}/smtp-credentials`;
  const request = { account_id: accountId, body: { name: 'n', scope: 'global', ...body } };
  const made = await accounts.call('POST', path, request);
  expect(made.status).toBe(201);
  return { accountId, ...made.body };
}

const remove = ({ accountId, id }: Login) =>
  accounts.call('DELETE', `/v2/accounts/${accountId}/smtp-credentials/${id}`, { account_id: accountId });

async function lookUp(...usernames: string[]): Promise<SmtpCredentialLookupResponse> {
  const { status, body } = await accounts.internal('POST', '/internal/smtp-credentials/lookup', {
    usernames,
  });
  expect(status).toBe(200);
  return SmtpCredentialLookupResponse.parse(body);
}

/** As a gateway decides at AUTH. */
async function logIn(username: string, password: string): Promise<boolean> {
  const [known] = (await lookUp(username)).credentials;
  const hash = known && Buffer.from(known.password_hash, 'base64');
  return accounts.service.get(Pepper).matches(password, hash);
}

describe('§12 a login', () => {
  it('§12 rule 4 returns the rights of a session at once after the 201, with the facts of the account', async () => {
    const login = await newLogin(await newAccount(), {
      scope: 'scoped',
      domains: ['shop.test'],
      sandbox: true,
    });
    const { credentials } = await lookUp(login.username);
    expect(credentials).toMatchObject([
      {
        credential_id: login.id,
        username: login.username,
        account_id: login.accountId,
        sandbox: true,
        scope: 'scoped',
        domains: ['shop.test'],
        blocked: false,
        account: { status: 'active', message_data_retention: 7, parent_account_id: null },
      },
    ]);
    expect(JSON.stringify(credentials)).not.toContain(login.password);
    expect(await logIn(login.username, login.password)).toBe(true);
  });

  it('needs the very password of the very username', async () => {
    const accountId = await newAccount();
    const [login, other] = [await newLogin(accountId), await newLogin(accountId)];
    expect(await logIn(login.username, other.password)).toBe(false);
    expect(await logIn(login.username, login.password.toLowerCase())).toBe(false);
    expect(await logIn(login.username, '')).toBe(false);
    expect(await logIn(login.username.toUpperCase(), login.password)).toBe(false);
    expect(await logIn(`${login.username}x`, login.password)).toBe(false);
    expect(await logIn(other.username, other.password)).toBe(true);
  });

  it.each(['', 'a\u0000b', "' or true --", '%', 'smtp-'])(
    'with the username %j finds none, and is no error',
    async (username) => expect((await lookUp(username)).credentials).toEqual([]),
  );

  it('finds several in one question', async () => {
    const accountId = await newAccount();
    const logins = [await newLogin(accountId), await newLogin(accountId)];
    const { credentials } = await lookUp('smtp-nobody', ...logins.map(({ username }) => username));
    expect(credentials.map(({ credential_id: id }) => id).sort()).toEqual(logins.map(({ id }) => id).sort());
  });

  it('is for services of this installation only', async () => {
    const path = '/internal/smtp-credentials/lookup';
    const asked = await accounts.call('POST', path, { body: { usernames: ['smtp-a'] } });
    expect(asked.status).toBe(404);
    expect((await accounts.internal('POST', path, { usernames: [] })).status).toBe(400);
  });
});

describe('a password that was hashed under an older pepper', () => {
  it('logs in, and is rehashed under the current one when a gateway with the same settings reports it', async () => {
    const login = await newLogin(await newAccount());
    const [before, now] = [new Pepper([OLD]), new Pepper([NEW, OLD])];
    await accounts.service
      .get(DataSource)
      .query('update smtp_credentials set password_hash = $2, pepper_id = $3 where id = $1', [
        login.id,
        before.hash(login.password),
        before.keyId,
      ]);
    const found = async () => (await lookUp(login.username)).credentials[0];
    expect(await found()).toMatchObject({ pepper_id: before.keyId });
    expect(await logIn(login.username, login.password)).toBe(true);
    const from = before.hash(login.password).toString('base64');
    const to = now.hash(login.password).toString('base64');
    const report = async (pepper_id: string) => {
      const body = { rehashes: [{ from, to, pepper_id }] };
      expect((await accounts.internal('POST', '/internal/smtp-credentials/rehash', body)).status).toBe(200);
    };
    await report(before.keyId);
    expect(await found()).toMatchObject({ password_hash: from });
    await report(now.keyId);
    expect(await found()).toMatchObject({ password_hash: to, pepper_id: now.keyId });
    expect(await logIn(login.username, login.password)).toBe(true);
    expect(await rotateSecrets(accounts)).toMatchObject({ 'smtp-credentials': { older: 0 } });
  });
});

describe('§2.5 the state of the account, to the next login', () => {
  const stateOf = async ({ username }: Login) => {
    const [known] = (await lookUp(username)).credentials;
    return known && { blocked: known.blocked, status: known.account.status };
  };

  it('suspended and blocked ones are still distinct at MAIL FROM; deleted ones are unknown', async () => {
    const login = await newLogin(await newAccount());
    await operate(`/${login.accountId}/suspend`, { reason: 'x' });
    expect(await stateOf(login)).toEqual({ blocked: false, status: 'suspended' });
    await operate(`/${login.accountId}/resume`);
    await operate(`/${login.accountId}/block`, { reason: 'x' });
    expect(await stateOf(login)).toEqual({ blocked: true, status: 'suspended' });
    await operate(`/${login.accountId}/unblock`);
    expect(await stateOf(login)).toEqual({ blocked: false, status: 'active' });
    await accounts.internal('DELETE', `/operator/accounts/${login.accountId}`, { reason: 'x' });
    expect(await stateOf(login)).toBeUndefined();
    expect(await logIn(login.username, login.password)).toBe(false);
  });

  it('a child follows its parent', async () => {
    const parent = await newAccount();
    const made = await accounts.call('POST', `/v2/accounts/${parent}/sub-accounts`, {
      account_id: parent,
      body: { name: 'Child', website: 'child.test' },
    });
    const login = await newLogin(made.body.id as string);
    await operate(`/${parent}/suspend`, { reason: 'x' });
    expect(await stateOf(login)).toEqual({ blocked: false, status: 'parent-suspended' });
    await accounts.internal('DELETE', `/operator/accounts/${parent}`, { reason: 'x' });
    expect(await stateOf(login)).toBeUndefined();
  });
});

describe('§12 a deleted credential', () => {
  const ask = async (instance: string, acked: number | null) => {
    const body = { instance, acked_revision: acked };
    return CacheLeaseResponse.parse((await accounts.internal('POST', '/internal/cache-leases', body)).body);
  };

  it('is rejected at the next login, and dropped by every gateway with a lease before the response', async () => {
    const login = await newLogin(await newAccount());
    const gateway = newId();
    const { revision } = await ask(gateway, null);
    expect((await lookUp(login.username)).revision).toBe(revision);
    let answered = false;
    const deletion = remove(login).then(({ status }) => {
      answered = true;
      return status;
    });
    await expect.poll(() => ask(gateway, revision)).toMatchObject({ lease_ms: 0, key_ids: [login.id] });
    expect(answered).toBe(false);
    // the gateway drops it and acknowledges
    await ask(gateway, revision + 1);
    expect(await deletion).toBe(200);
    expect(await logIn(login.username, login.password)).toBe(false);
    expect((await lookUp(login.username)).revision).toBe(revision + 1);
  });
});
