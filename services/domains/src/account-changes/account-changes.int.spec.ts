import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { AccountChanged } from '@postmesh/accounts-contract';
import { AccountId, type EventEnvelope } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { domainsUnderTest } from '../testing/domains-under-test.js';

// proven again: events that come twice or late, a create that waits for the same lock, and rows
// one connection for each waiter, and one to observe them
const domains = domainsUnderTest(async () => ({ databasePoolSize: 8 }));
type State = ReturnType<typeof AccountChanged.make>['data']['state'];

const change = (account_id: string, state: State, revision = 2) =>
  AccountChanged.make({ account_id, parent_account_id: null, state, revision }, { account_id });
const consume = (...events: EventEnvelope[]) => deliver(domains.service.service, events);
const namesOf = async (account_id: string) => {
  const list = await domains.service.call('GET', domains.path('', account_id), { account_id });
  return list.body.data.map(({ domain }: { domain: string }) => domain).sort();
};

describe('§10.4 rule 5: the domains of a deleted account', () => {
  it('are deleted as through the API, paused ones too, and free for others at once', async () => {
    const gone = domains.account();
    const { id } = await domains.valid('free.test', { account_id: gone });
    await domains.create({ domain: 'held.test' }, { account_id: gone });
    await domains.pause('held.test', gone);
    await domains.service.bus.publish([change(gone, 'deleted')]);
    await expect.poll(() => namesOf(gone)).toEqual([]);
    for (const table of ['dkim_keys', 'dns_records']) {
      expect(await domains.sql(`select from ${table} where domain_id = $1`, [id])).toEqual([]);
    }
    const told = await domains.events('free.test', 3);
    expect(told.at(-1)?.data).toMatchObject({ domain_id: id, deleted: true, dns_valid: false, revision: 3 });
    expect((await domains.events('held.test', 2)).at(-1)?.data).toMatchObject({ deleted: true });
    expect((await domains.create({ domain: 'free.test' })).status).toBe(201);
  });

  it('are deleted in batches, and those of no other account', async () => {
    const gone = domains.account();
    const stays = domains.account();
    await domains.create({ domain: 'template.test' }, { account_id: gone });
    await domains.create({ domain: 'template.test' }, { account_id: stays });
    await domains.sql(
      `insert into domains select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(),
         'domain', 'bulk' || n || '.test', 'domain_token', 'token' || n))).*
       from domains d, generate_series(1, 450) n where d.domain = 'template.test' and d.account_id = $1`,
      [gone],
    );
    await consume(change(gone, 'deleted'));
    expect(await namesOf(gone)).toEqual([]);
    expect(await namesOf(stays)).toEqual(['template.test']);
    expect((await domains.events('bulk450.test', 1)).at(-1)?.data.deleted).toBe(true);
  });

  it('stay while it is only suspended, and publish one event however often its end arrives', async () => {
    const account_id = domains.account();
    await domains.create({ domain: 'twice.test' }, { account_id });
    for (const state of ['suspended', 'parent-suspended', 'blocked', 'active'] as const) {
      await consume(change(account_id, state));
    }
    expect(await namesOf(account_id)).toEqual(['twice.test']);
    const end = change(account_id, 'deleted', 9);
    await Promise.all([consume(end, end), consume(end)]);
    // a late event from before the end changes nothing
    await consume(end, change(account_id, 'active', 8));
    expect(await namesOf(account_id)).toEqual([]);
    await domains.create({ domain: 'twice.test' });
    const about = await domains.events('twice.test', 3);
    expect(about.filter(({ data }) => data.deleted)).toHaveLength(1);
  });

  it('get no new one by a request that was authenticated before', async () => {
    const account_id = domains.account();
    await consume(change(account_id, 'deleted'));
    const late = await domains.create({ domain: 'late.test' }, { account_id });
    expect([late.status, late.body]).toEqual([401, { message: 'invalid API key' }]);
    expect(await namesOf(account_id)).toEqual([]);
  });

  it('get none by a request that waits for the same lock as the deletion, in either order', async () => {
    const account_id = domains.account();
    const release = await holdLock(account_id);
    const made = domains.create({ domain: 'first.test' }, { account_id });
    await waiting(1);
    const deleted = consume(change(account_id, 'deleted'));
    await waiting(2);
    const late = domains.create({ domain: 'second.test' }, { account_id });
    await waiting(3);
    await release();
    expect([(await made).status, await deleted, (await late).status]).toEqual([201, undefined, 401]);
    expect(await namesOf(account_id)).toEqual([]);
  });
});

/** Locks the row that both a create and the deletion wait for. @returns a function that releases it */
async function holdLock(accountId: string): Promise<() => Promise<void>> {
  const runner = domains.service.service.get(DataSource).createQueryRunner();
  await runner.startTransaction();
  await domains.service.service.get(SendingDomains).lockAccount(runner.manager, AccountId.parse(accountId));
  return async () => {
    await runner.commitTransaction();
    await runner.release();
  };
}

/** Resolves when this many transactions wait for a lock. */
const waiting = (count: number) =>
  expect
    .poll(
      async () => {
        const sql = `select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`;
        return (await domains.sql(sql)).length;
      },
      { interval: 10 },
    )
    .toBe(count);
