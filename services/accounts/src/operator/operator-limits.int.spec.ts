import { AccountChanged, KeyLookupResponse } from '@postmesh/accounts-contract';
import { AccountId, EventEnvelope, newId } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountState } from '../account/account-state.rules.js';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { AccountEntity } from '../account/account.entity.js';

const database = testDatabase();
let accounts: TestService;
const received: EventEnvelope[] = [];
let usage: { account_id: string; reception_count: number }[] = [];

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    neighbours: { messages: () => ({ status: 200, body: { usage } }) },
  });
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

const operate = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
  accounts.internal(method, `/operator/${path}`, body, 'oncall');

async function newAccount(more: object = {}) {
  const made = await operate('POST', 'accounts', { name: 'Corp', owner_email: 'o@corp.test', ...more });
  expect(made.status).toBe(201);
  return AccountId.parse(made.body.id);
}

/** A row as the sub-accounts of the API are: with the parent's owner, without members. */
async function newChild(parentId: AccountId) {
  const { manager } = accounts.service.get(DataSource);
  const parent = await manager.findOneByOrFail(AccountEntity, { id: parentId });
  const id = AccountId.parse(newId());
  await manager.insert(AccountEntity, { ...parent, id, parentAccountId: parentId, name: 'Child' });
  return id;
}

async function newKey(accountId: string): Promise<string> {
  const body = { label: 'k', scopes: ['accounts:read'] };
  return (await operate('POST', `accounts/${accountId}/api-keys`, body)).body.secret_key;
}

async function lookUp(secret: string) {
  const hashes = accounts.service
    .get(Pepper)
    .candidates(secret)
    .map((hash) => hash.toString('base64'));
  const { body } = await accounts.internal('POST', '/internal/keys/lookup', { hashes });
  return KeyLookupResponse.parse(body).keys[0];
}

/** The accounts that gateways have to look up again after some work. */
async function forgotten(work: () => Promise<unknown>): Promise<string[]> {
  const source = accounts.service.get(DataSource);
  const [{ revision }] = await source.query('select revision from key_revision');
  await work();
  const rows = await source.query('select account_ids from key_changes where revision > $1', [revision]);
  return rows.flatMap((row: { account_ids: string[] }) => row.account_ids);
}

const auditOf = async (accountId: string) =>
  (await operate('GET', `audit?account_id=${accountId}`)).body.data as {
    actor: string;
    action: string;
    subject_id: string;
    details: Record<string, unknown>;
  }[];

const blank = { suspendedAt: null, suspendedBy: null, blockedAt: null, deletedAt: null };

describe('flags and limits of an account', () => {
  it('are shown with defaults', async () => {
    const id = await newAccount();
    expect((await operate('GET', `accounts/${id}`)).body).toMatchObject({
      id,
      owner_email: 'o@corp.test',
      state: 'active',
      platform_partner: true,
      monthly_credit: 0,
      credit_pool: null,
      rate_limits: null,
      member_count: 1,
      sub_account_count: 0,
      api_key_count: 0,
      deleted_at: null,
    });
  });

  it('count for its keys in the next request, and for those of its sub-accounts', async () => {
    const parent = await newAccount();
    const child = await newChild(parent);
    const [own, childs] = [await newKey(parent), await newKey(child)];
    const limits = { general: { per_second: 500, burst: 900 } };
    const concerned = await forgotten(() =>
      operate('PUT', `accounts/${parent}`, {
        platform_partner: false,
        monthly_credit: 1_000,
        rate_limits: limits,
      }),
    );
    expect(new Set(concerned)).toEqual(new Set([parent, child]));
    const pool = { account_id: parent, monthly_credit: 1_000 };
    const facts = { platform_partner: false, monthly_credit: 0, credit_pool: pool };
    expect(await lookUp(own)).toMatchObject({
      principal: { account: facts },
      rate_limits: { ...limits, statistics: null },
    });
    expect(await lookUp(childs)).toMatchObject({ principal: { account: facts }, rate_limits: null });
    expect((await operate('GET', `accounts/${child}`)).body).toMatchObject({
      platform_partner: false,
      credit_pool: pool,
    });
  });

  it('of a sub-account are its own cap and rates', async () => {
    const parent = await newAccount();
    const child = await newChild(parent);
    const key = await newKey(child);
    const wish = { monthly_credit: 5, rate_limits: { statistics: { per_second: 3, burst: 3 } } };
    const given = await operate('PUT', `accounts/${child}`, wish);
    expect(given.body).toMatchObject({ monthly_credit: 5, credit_pool: null });
    expect(await lookUp(key)).toMatchObject({
      principal: { account: { monthly_credit: 5, credit_pool: null } },
      rate_limits: { general: null, statistics: { per_second: 3, burst: 3 } },
    });
    const refused = await operate('PUT', `accounts/${child}`, { platform_partner: true });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'platform_partner is that of the parent account: set it there',
    ]);
  });

  it('are audited with the values before, once, and only those that changed', async () => {
    const id = await newAccount();
    await operate('PUT', `accounts/${id}`, { name: 'New', monthly_credit: 9 });
    const nothing = await forgotten(() =>
      operate('PUT', `accounts/${id}`, { name: 'New', monthly_credit: 9 }),
    );
    expect(nothing).toEqual([]);
    expect(await auditOf(id)).toMatchObject([
      {
        actor: 'operator oncall',
        action: 'account.update',
        subject_id: id,
        details: { before: { name: 'Corp', monthly_credit: 0 }, after: { name: 'New', monthly_credit: 9 } },
      },
      { actor: 'operator oncall', action: 'account.create', details: { name: 'Corp' } },
    ]);
  });

  it.each([
    [{ monthly_credit: -1 }, 'monthly_credit must be at least 0'],
    [{ monthly_credit: 1_000_000_001 }, 'monthly_credit must be at most 1000000000'],
    [{ monthly_credit: '5' }, 'monthly_credit must be a number'],
    [{ name: ' ' }, 'name must not be empty'],
    [{ platform_partner: null }, 'platform_partner must be a boolean'],
    [
      { rate_limits: { general: { per_second: 0, burst: 1 } } },
      'rate_limits.general.per_second must be at least 1',
    ],
    [{ rate_limits: { other: null } }, 'unknown field: rate_limits.other'],
    [{ owner_id: newId() }, 'unknown field: owner_id'],
  ])('%j is refused', async (wish, message) => {
    const id = await newAccount();
    const refused = await operate('PUT', `accounts/${id}`, wish);
    expect([refused.status, refused.body]).toEqual([400, { message }]);
  });
});

describe('ownership', () => {
  const addMember = async (accountId: string, email: string) => {
    const source = accounts.service.get(DataSource);
    const userId = newId();
    await source.query(
      'insert into users (id, email, created_at, updated_at) values ($1, $2, now(), now())',
      [userId, email],
    );
    await source.query(`insert into members values ($1, $2, 'Analyst', now(), now())`, [accountId, userId]);
    return userId;
  };

  it('goes to another member, who becomes an Administrator, with the sub-accounts', async () => {
    const id = await newAccount();
    const child = await newChild(id);
    const before = (await operate('GET', `accounts/${id}`)).body.owner_id;
    const heir = await addMember(id, 'heir@corp.test');
    const given = await operate('POST', `accounts/${id}/owner`, { email: 'Heir@corp.test' });
    expect(given.body).toMatchObject({ owner_id: heir, owner_email: 'heir@corp.test' });
    expect((await operate('GET', `accounts/${child}`)).body.owner_id).toBe(heir);
    const members = await operate('GET', `accounts/${id}/members`);
    expect(members.body.data).toMatchObject([
      { user_id: heir, role: 'Administrator', owner: true },
      { user_id: before, role: 'Administrator', owner: false, email: 'o@corp.test' },
    ]);
    expect((await auditOf(id))[0]).toMatchObject({
      action: 'account.transfer',
      subject_id: heir,
      details: { before: { owner_id: before }, after: { owner_id: heir } },
    });
  });

  it('goes only to a member', async () => {
    const id = await newAccount();
    const child = await newChild(id);
    await newAccount({ owner_email: 'stranger@other.test' });
    const stranger = await operate('POST', `accounts/${id}/owner`, { email: 'stranger@other.test' });
    expect([stranger.status, stranger.body.message]).toEqual([404, 'member not found']);
    const ofChild = await operate('POST', `accounts/${child}/owner`, { email: 'o@corp.test' });
    expect(ofChild.status).toBe(400);
  });
});

describe('a deleted account', () => {
  it('deletes its sub-accounts; keys are unknown, the other services receive it, the audit has the reason', async () => {
    const id = await newAccount();
    const child = await newChild(id);
    const [own, childs] = [await newKey(id), await newKey(child)];
    expect((await operate('DELETE', `accounts/${id}`)).status).toBe(400);
    let gone;
    const concerned = await forgotten(async () => {
      gone = await operate('DELETE', `accounts/${id}`, { reason: 'asked for it' });
    });
    expect(gone).toMatchObject({ status: 200, body: { state: 'deleted', sub_account_count: 0 } });
    expect(new Set(concerned)).toEqual(new Set([id, child]));
    expect([await lookUp(own), await lookUp(childs)]).toEqual([undefined, undefined]);
    const deletions = () =>
      received
        .filter(({ key }) => key === id || key === child)
        .map((event) => AccountChanged.parse(event).data)
        .filter(({ state }) => state === 'deleted')
        .map(({ account_id, parent_account_id }) => [account_id, parent_account_id]);
    await expect.poll(deletions).toHaveLength(2);
    expect(new Set(deletions().map(String))).toEqual(new Set([`${id},`, `${child},${id}`]));
    expect((await auditOf(id))[0]).toMatchObject({
      actor: 'operator oncall',
      action: 'account.delete',
      details: { reason: 'asked for it' },
    });
    expect((await auditOf(child))[0]).toMatchObject({
      action: 'account.delete',
      details: { reason: 'asked for it', with_parent: id },
    });
  });

  it('is there to be read, and for nothing else', async () => {
    const id = await newAccount();
    await operate('DELETE', `accounts/${id}`, { reason: 'x' });
    expect((await operate('GET', `accounts/${id}`)).body).toMatchObject({ state: 'deleted' });
    const wishes = [
      operate('DELETE', `accounts/${id}`, { reason: 'x' }),
      operate('PUT', `accounts/${id}`, { name: 'x' }),
      operate('POST', `accounts/${id}/block`, { reason: 'x' }),
      operate('POST', `accounts/${id}/owner`, { email: 'o@corp.test' }),
      operate('POST', `accounts/${id}/api-keys`, { label: 'k', scopes: ['*'] }),
    ];
    expect((await Promise.all(wishes)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });
});

describe('usage', () => {
  it('is that of the month, of a family', async () => {
    const id = await newAccount();
    const child = await newChild(id);
    usage = [
      { account_id: id, reception_count: 2 },
      { account_id: child, reception_count: 3 },
    ];
    expect((await operate('GET', `accounts/${id}/usage`)).body).toMatchObject({
      parent: { account_id: id, reception_count: 2 },
      sub_accounts: [{ account_id: child, reception_count: 3 }],
      total: { reception_count: 5 },
    });
    expect((await operate('GET', `accounts/${child}/usage`)).status).toBe(400);
    expect((await operate('GET', `accounts/${newId()}/usage`)).status).toBe(404);
  });
});

describe('the list of accounts', () => {
  const list = async (query: string) => {
    const { body } = await operate('GET', `accounts?${query}`);
    return (body.data as { id: string }[]).map(({ id }) => id);
  };

  it('is cut by parent, state and words', async () => {
    const owner_email = 'found@sought.test';
    const name = `100%_ ${newId()}`;
    const parent = await newAccount({ name, owner_email });
    const child = await newChild(parent);
    const other = await newAccount({ name: 'Nothing of it' });
    expect(await list(`parent=${parent}`)).toEqual([child]);
    expect(await list(`search=${encodeURIComponent(name.toUpperCase())}`)).toEqual([parent]);
    expect(await list('search=FOUND@sought')).toEqual(expect.arrayContaining([parent, child]));
    expect(await list('search=100%25__')).toEqual([]);
    expect(await list('search=sought&parent=none')).toEqual([parent]);
    await operate('POST', `accounts/${parent}/suspend`, { reason: 'x' });
    expect(await list('search=sought&state=suspended')).toEqual([parent]);
    expect(await list('search=sought&state=parent-suspended')).toEqual([child]);
    await operate('DELETE', `accounts/${other}`, { reason: 'x' });
    expect(await list('limit=100')).not.toContain(other);
    expect(await list('state=deleted')).toContain(other);
  });

  it('sees states as the rules do', async () => {
    const { manager } = accounts.service.get(DataSource);
    const at = new Date();
    const facts = [
      {},
      { suspendedAt: at, suspendedBy: 'operator' as const },
      { blockedAt: at },
      { deletedAt: at },
    ];
    const name = `States ${newId()}`;
    const expected: Record<string, string> = {};
    for (const above of facts) {
      const parentId = await newAccount();
      await manager.update(AccountEntity, { id: parentId }, { ...above, updatedAt: at });
      for (const own of facts) {
        const id = await newChild(parentId);
        await manager.update(AccountEntity, { id }, { ...blank, ...own, name });
        const child = await manager.findOneByOrFail(AccountEntity, { id });
        const parent = await manager.findOneByOrFail(AccountEntity, { id: parentId });
        expected[id] = accountState(child, parent);
      }
    }
    const seen: Record<string, string> = {};
    for (const state of ['active', 'suspended', 'parent-suspended', 'blocked', 'deleted']) {
      for (const id of await list(`state=${state}&search=${encodeURIComponent(name)}`)) seen[id] = state;
    }
    expect(seen).toEqual(expected);
    expect(new Set(Object.values(seen)).size).toBe(5);
  });

  it('is walked in pages', async () => {
    const owner_email = `${newId()}@pages.test`;
    const made = [];
    for (let count = 0; count < 3; count += 1) made.unshift(await newAccount({ owner_email }));
    const first = await operate('GET', `accounts?search=${owner_email}&limit=2`);
    const after = first.body.pagination.next_cursor;
    const second = await operate('GET', `accounts?search=${owner_email}&limit=2&after=${after}`);
    expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(made);
    expect(second.body.pagination.has_more).toBe(false);
  });
});
