import { newId } from '@postmesh/contracts';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';

const database = testDatabase();
const MOST_OF_A_DAY = 10;
let accounts: TestService;

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    settings: { auditKeysPerDay: MOST_OF_A_DAY },
  });
});
afterAll(() => accounts.stop());

const audit = async (query: string) => {
  const { status, body } = await accounts.internal('GET', `/operator/audit?${query}`);
  expect(status).toBe(200);
  return body.data as { id: string; actor: string; action: string; details: Record<string, unknown> }[];
};

describe('the audit', () => {
  it('names the actor: operators by name, keys by id', async () => {
    const body = { name: 'Corp', owner_email: 'o@corp.test' };
    const made = await accounts.internal('POST', '/operator/accounts', body, 'oncall');
    const account = made.body.id as string;
    const key = { label: 'k', scopes: ['*'] };
    await accounts.internal('POST', `/operator/accounts/${account}/api-keys`, key, 'billing');
    await accounts.internal('POST', `/operator/accounts/${account}/suspend`, { reason: 'x' });
    await accounts.call('POST', `/v2/accounts/${account}/api-keys`, { body: key, account_id: account });
    const entries = await audit(`account_id=${account}`);
    expect(entries.map(({ actor, action }) => [actor.replace(/[0-9a-f-]{36}/, '…'), action])).toEqual([
      ['api-key …', 'api-key.create'],
      ['operator', 'account.suspend'],
      ['operator billing', 'api-key.create'],
      ['operator oncall', 'account.create'],
    ]);
    expect(JSON.stringify(entries)).not.toContain('-sk-');
    const actorOf = async (query: string) => (await audit(query)).map(({ actor }) => actor);
    expect(await actorOf('actor=oncall')).toEqual(['operator oncall']);
    expect(await actorOf('actor=operator%20billing')).toEqual(['operator billing']);
    expect(await actorOf(`actor=operator&account_id=${account}`)).toEqual(['operator']);
    expect(await actorOf(`action=account.*&account_id=${account}`)).toEqual(['operator', 'operator oncall']);
    expect(await actorOf(`action=account.create&account_id=${account}`)).toEqual(['operator oncall']);
    expect(await actorOf(`actor=${(entries[0]?.actor ?? '').slice(8)}`)).toEqual([entries[0]?.actor]);
  });

  it('reads entries from before operators had names', async () => {
    const [account, id] = [newId(), newId()];
    await accounts.service.get(DataSource).query(
      `insert into audit_entries (id, at, actor_kind, action, account_id)
       values ($1, '2020-01-02T03:04:05Z', 'operator', 'account.block', $2)`,
      [id, account],
    );
    expect(await audit(`account_id=${account}&actor=operator`)).toMatchObject([{ id, actor: 'operator' }]);
    expect(await audit('until=2020-01-02T03:04:05Z')).toEqual([]);
    expect(await audit('until=2020-01-02T03:04:06Z')).toMatchObject([{ id }]);
    expect(await audit(`since=2020-01-02T03:04:05Z&account_id=${account}`)).toMatchObject([{ id }]);
    expect(await audit(`since=2020-01-02T03:04:06Z&account_id=${account}`)).toEqual([]);
  });

  it('accepts entries of other services, and their outcome once', async () => {
    const note = {
      operator: 'oncall',
      action: 'PUT domains/accounts/{account_id}/settings',
      account_id: newId(),
      subject_id: null,
      details: { path: 'domains/…', body: { domain_limit: 50 } },
    };
    const begun = await accounts.internal('POST', '/internal/audit', note);
    expect(begun.status).toBe(201);
    const noted = () => audit(`account_id=${note.account_id}`);
    expect(await noted()).toMatchObject([
      { actor: 'operator oncall', action: note.action, details: { ...note.details, status: null } },
    ]);
    const end = (status: number) =>
      accounts.internal('POST', `/internal/audit/${begun.body.id}/outcome`, { status });
    expect((await end(200)).body).toEqual({ id: begun.body.id });
    expect(await noted()).toMatchObject([{ details: { ...note.details, status: 200 } }]);
    expect((await end(500)).status).toBe(404);
    expect(await noted()).toMatchObject([{ details: { status: 200 } }]);
  });

  describe('of changes by API keys', () => {
    const [account, key] = [newId(), newId()];
    const begin = async (of = account) => {
      const note = { key_id: key, action: 'domains.create', account_id: of, subject_id: 'shop.test' };
      const { status, body } = await accounts.internal('POST', '/internal/audit/keys', note);
      expect(status).toBe(201);
      return body.id as string | null;
    };

    it('has the key, the outcome and a place in the chain', async () => {
      const id = await begin();
      expect((await accounts.internal('POST', `/internal/audit/${id}/outcome`, { status: 201 })).status).toBe(
        201,
      );
      expect(await audit(`account_id=${account}`)).toMatchObject([
        { id, actor: `api-key ${key}`, action: 'domains.create', details: { status: 201 } },
      ]);
      const chain = await accounts.internal('GET', '/operator/audit/chain');
      expect(chain.body).toMatchObject({ problem: null, waiting: 0 });
    });

    it('has a bound for each account and day, and says when it is reached', async () => {
      const ids: (string | null)[] = [];
      for (let count = 1; count < MOST_OF_A_DAY; count += 1) ids.push(await begin());
      expect(ids).not.toContain(null);
      expect([await begin(), await begin()]).toEqual([null, null]);
      const [last, ...others] = await audit(`account_id=${account}`);
      expect(last).toMatchObject({
        actor: 'system',
        action: 'audit.full',
        details: { entries: MOST_OF_A_DAY },
      });
      expect(others).toHaveLength(MOST_OF_A_DAY);
      // other accounts have their own, and so has the next day
      expect(await begin(newId())).not.toBeNull();
      await accounts.service
        .get(DataSource)
        .query('update audit_days set day = day - 1 where account_id = $1', [account]);
      expect(await begin()).not.toBeNull();
    });
  });

  it.each([
    ['POST', '/internal/audit', {}, 400],
    ['POST', '/internal/audit/keys', { action: 'domains.create' }, 400],
    ['POST', `/internal/audit/${newId()}/outcome`, { status: 200 }, 404],
    ['POST', '/internal/audit/x/outcome', { status: 200 }, 400],
    ['GET', '/operator/audit?since=yesterday', undefined, 400],
    ['GET', '/operator/audit?limit=101', undefined, 400],
  ] as const)('%s %s %j is %i', async (method, path, body, status) => {
    expect((await accounts.internal(method, path, body)).status).toBe(status);
  });

  it('is written only by services', async () => {
    expect((await accounts.call('POST', '/internal/audit', { body: {} })).status).toBe(404);
  });
});
