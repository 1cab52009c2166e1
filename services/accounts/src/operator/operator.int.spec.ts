import { AccountChanged, KeyLookupResponse } from '@postmesh/accounts-contract';
import { EventEnvelope, newId } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { FirstAccount } from '../first-account/first-account.js';

const database = testDatabase();
let accounts: TestService;
const received: EventEnvelope[] = [];

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, { databaseUrl: database.url });
  await accounts.bus.subscribe({
    group: 'listener',
    streams: ['accounts'],
    handle: (events) => {
      received.push(...events.map(({ text }) => EventEnvelope.parse(JSON.parse(text)) as EventEnvelope));
      return Promise.resolve();
    },
  });
});
afterAll(() => accounts.stop());

const operate = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
  accounts.internal(method, `/operator/${path}`, body);

async function lookUp(secret: string) {
  const hashes = accounts.service
    .get(Pepper)
    .candidates(secret)
    .map((hash) => hash.toString('base64'));
  const { body } = await accounts.internal('POST', '/internal/keys/lookup', { hashes });
  return KeyLookupResponse.parse(body).keys[0];
}

describe('the first account', () => {
  it('is made once; another key is made when the first one was lost', async () => {
    const first = accounts.service.get(FirstAccount);
    const made = await first.create();
    const again = await first.create();
    expect(again.account_id).toBe(made.account_id);
    expect(again.api_key).not.toBe(made.api_key);
    expect(await first.isKnown(made.api_key)).toBe(true);
    expect(await first.isKnown('pm-sk-nonsense')).toBe(false);
    expect(await lookUp(made.api_key)).toMatchObject({
      principal: { account_id: made.account_id, scopes: ['*'], account: { status: 'active' } },
      ip_allow_list: [],
      blocked: false,
      last_used_at: null,
    });
  });

  it('gets no key to an account that it did not make, and none while it is blocked', async () => {
    const first = accounts.service.get(FirstAccount);
    const made = await first.create();
    await operate('POST', 'accounts', { name: 'A customer', owner_email: 'customer@mail.test' });
    await operate('POST', `accounts/${made.account_id}/block`, { reason: 'a test' });
    expect(await first.isKnown(made.api_key)).toBe(true);
    await operate('DELETE', `accounts/${made.account_id}`, { reason: 'a test' });
    expect(await first.isKnown(made.api_key)).toBe(false);
    const next = await first.create();
    const { body } = await operate('GET', `accounts/${next.account_id}`);
    expect([next.account_id === made.account_id, body.name]).toEqual([false, 'Postmesh']);
  });

  it('is one, however many processes start at once', async () => {
    const first = accounts.service.get(FirstAccount);
    const made = await Promise.all([first.create(), first.create(), first.create()]);
    expect(new Set(made.map((one) => one.account_id)).size).toBe(1);
  });
});

describe('the operator', () => {
  const body = { name: ' Example Corp ', owner_email: 'Owner@Example.test' };

  it('makes accounts, whose owner is a member, and publishes them', async () => {
    const made = await operate('POST', 'accounts', body);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'Example Corp', state: 'active', blocked_at: null });
    const members = await accounts.service
      .get(DataSource)
      .query('select role, email from members join users on id = user_id where account_id = $1', [
        made.body.id,
      ]);
    expect(members).toEqual([{ role: 'Administrator', email: 'owner@example.test' }]);
    await expect.poll(() => received.map((event) => event.key)).toContain(made.body.id);
    const listed = await operate('GET', 'accounts?limit=1');
    expect(listed.body.data[0].id).toBe(made.body.id);
    expect((await operate('GET', `accounts/${made.body.id}`)).body.name).toBe('Example Corp');
  });

  it('makes keys for an account and deletes them', async () => {
    const { body: account } = await operate('POST', 'accounts', body);
    const made = await operate('POST', `accounts/${account.id}/api-keys`, { label: 'k', scopes: ['*'] });
    expect([made.status, made.body.account_id]).toEqual([201, account.id]);
    expect((await operate('GET', `accounts/${account.id}/api-keys`)).body.data).toHaveLength(1);
    expect((await operate('DELETE', `accounts/${account.id}/api-keys/${made.body.id}`)).status).toBe(200);
    expect(await lookUp(made.body.secret_key)).toBeUndefined();
  });

  it('suspends, resumes, blocks and unblocks; keys follow; all of it is written down', async () => {
    const { body: account } = await operate('POST', 'accounts', body);
    const key = await operate('POST', `accounts/${account.id}/api-keys`, { label: 'k', scopes: ['*'] });
    const reason = { reason: 'spam' };
    const seen: unknown[] = [];
    for (const [action, sent] of [
      ['suspend', reason],
      ['suspend', { reason: 'again' }],
      ['block', reason],
      ['unblock', undefined],
      ['resume', undefined],
    ] as const) {
      const done = await operate('POST', `accounts/${account.id}/${action}`, sent);
      const known = await lookUp(key.body.secret_key);
      seen.push([done.status, done.body.state, known?.principal.account.status, known?.blocked]);
    }
    expect(seen).toEqual([
      [200, 'suspended', 'suspended', false],
      [200, 'suspended', 'suspended', false],
      [200, 'blocked', 'suspended', true],
      [200, 'suspended', 'suspended', false],
      [200, 'active', 'active', false],
    ]);
    const audit = await operate('GET', `audit?account_id=${account.id}`);
    expect(audit.body.data.map((entry: { action: string }) => entry.action)).toEqual([
      'account.resume',
      'account.unblock',
      'account.block',
      'account.suspend',
      'api-key.create',
      'account.create',
    ]);
    expect(audit.body.data[3]).toMatchObject({ actor: 'operator', details: { reason: 'spam' } });
    const states = () =>
      received
        .filter((event) => event.key === account.id)
        .map((event) => AccountChanged.parse(event).data)
        .map(({ state, revision }) => `${revision} ${state}`);
    await expect.poll(states).toEqual(['1 active', '2 suspended', '3 blocked', '4 suspended', '5 active']);
  });

  it.each([
    ['POST', 'accounts', { name: 'x' }, 400],
    ['POST', 'accounts', { name: 'x', owner_email: 'nonsense' }, 400],
    ['POST', `accounts/${newId()}/block`, { reason: 'x' }, 404],
    ['POST', `accounts/${newId()}/block`, {}, 400],
    ['POST', 'accounts/nonsense/resume', undefined, 400],
    ['GET', `accounts/${newId()}`, undefined, 404],
    ['GET', `accounts/${newId()}/api-keys`, undefined, 404],
    ['GET', `accounts/${newId()}/members`, undefined, 404],
    ['GET', 'accounts?search=%00', undefined, 400],
  ] as const)('%s %s %j is %s', async (method, path, sent, status) => {
    expect((await operate(method, path, sent)).status).toBe(status);
  });

  it('needs a service token', async () => {
    const refused = await accounts.call('GET', '/operator/accounts');
    expect([refused.status, refused.body]).toEqual([404, { message: 'not found' }]);
  });
});

describe('§2.1.5 last_used_at', () => {
  it('moves at most once in five minutes, and never back', async () => {
    const { account_id: account, api_key: secret } = await accounts.service.get(FirstAccount).create();
    const keyId = (await lookUp(secret))?.principal.key_id ?? '';
    const use = (at: string) =>
      accounts.internal('POST', '/internal/keys/used', { uses: [{ key_id: keyId, used_at: at }] });
    const seen: unknown[] = [];
    for (const at of ['10:00:00', '10:04:59', '10:05:00', '09:00:00']) {
      await use(`2026-01-01T${at}.000Z`);
      const got = await accounts.call('GET', `/v2/accounts/${account}/api-keys/${keyId}`, {
        account_id: account,
      });
      seen.push(got.body.last_used_at.slice(11, 19));
    }
    expect(seen).toEqual(['10:00:00', '10:00:00', '10:05:00', '10:05:00']);
  });
});
