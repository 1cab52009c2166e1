import { newId } from '@postmesh/contracts';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';

const database = testDatabase();
let accounts: TestService;

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, { databaseUrl: database.url });
});
afterAll(() => accounts.stop());

const operate = (path: string, body: object, method: 'POST' | 'DELETE' = 'POST') =>
  accounts.internal(method, `/operator/accounts${path}`, body);
const listed = (query = '') => accounts.internal('GET', `/internal/account-states${query}`);

async function newAccount(): Promise<string> {
  const { body } = await operate('', { name: 'Shop', owner_email: `o-${newId()}@mail.test` });
  return body.id as string;
}

describe('the states of accounts, for services that begin', () => {
  it('are those of accounts that may not send, children of such parents among them', async () => {
    const [active, suspended, blocked, deleted] = [
      await newAccount(),
      await newAccount(),
      await newAccount(),
      await newAccount(),
    ];
    const child = await accounts.call('POST', `/v2/accounts/${suspended}/sub-accounts`, {
      account_id: suspended,
      body: { name: 'Child', website: 'child.test' },
    });
    await operate(`/${suspended}/suspend`, { reason: 'x' });
    await operate(`/${blocked}/block`, { reason: 'x' });
    await operate(`/${deleted}`, { reason: 'x' }, 'DELETE');
    const { body } = await listed();
    const states = Object.fromEntries(
      (body.accounts as { account_id: string; state: string }[]).map((one) => [one.account_id, one.state]),
    );
    expect(states).toEqual({
      [suspended]: 'suspended',
      [child.body.id]: 'parent-suspended',
      [blocked]: 'blocked',
      [deleted]: 'deleted',
    });
    expect(states[active]).toBeUndefined();
    expect(body.next).toBeNull();
  });

  it('facts are returned for existing accounts, deleted ones are left out', async () => {
    const [active, suspended, deleted] = [await newAccount(), await newAccount(), await newAccount()];
    await operate(`/${suspended}/suspend`, { reason: 'x' });
    await operate(`/${deleted}`, { reason: 'x' }, 'DELETE');
    const { body } = await accounts.internal('POST', '/internal/account-facts', {
      account_ids: [active, suspended, deleted, newId()],
    });
    const listed = body.accounts as { account_id: string; account: object }[];
    expect(listed.map(({ account_id }) => account_id).toSorted()).toEqual([active, suspended].toSorted());
    const retention = { message_metadata_retention: 7, message_data_retention: 7 };
    expect(listed.find(({ account_id }) => account_id === suspended)?.account).toMatchObject({
      status: 'suspended',
      ...retention,
    });
  });

  it('leaves out accounts deleted so long ago that they have no unsent messages', async () => {
    const deleted = await newAccount();
    await operate(`/${deleted}`, { reason: 'x' }, 'DELETE');
    await accounts.service
      .get(DataSource)
      .query(`update accounts set deleted_at = now() - interval '10 days' where id = $1`, [deleted]);
    expect(JSON.stringify((await listed()).body)).not.toContain(deleted);
  });

  it('come in pages of a thousand, each account once', async () => {
    const one = await newAccount();
    await accounts.service.get(DataSource).query(
      `insert into accounts (id, name, platform_partner, owner_id, suspended_at, suspended_by, created_at, updated_at)
       select gen_random_uuid(), 'x', true, owner_id, now(), 'operator', now(), now()
       from accounts, generate_series(1, 2300) where id = $1`,
      [one],
    );
    const seen: string[] = [];
    let query = '';
    for (let page = 0; page < 5; page += 1) {
      const { body } = await listed(query);
      seen.push(...body.accounts.map((each: { account_id: string }) => each.account_id));
      if (body.next === null) break;
      query = `?after=${body.next}`;
    }
    expect(seen.length).toBeGreaterThanOrEqual(2_300);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('refuses a page that cannot be', async () => {
    expect((await listed('?after=x')).status).toBe(400);
  });
});
