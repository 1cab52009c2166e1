import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AccountChanged } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { deliver, startTestService, type TestService } from '@postmesh/service-testing';
import { TEMPLATE_LANGUAGE } from '@postmesh/templates';
import { rowsRead, testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';
import { RecheckContents } from '../campaigns/recheck-contents.js';
import { recordDeletion } from './deleted-accounts.js';

const database = testDatabase();
let marketing: TestService;
let account_id: string;

beforeAll(async () => {
  marketing = await startTestService(MARKETING_SERVICE, { databaseUrl: database.url });
});
afterAll(() => marketing?.stop());
beforeEach(() => {
  account_id = newId();
});

const sql = (text: string, parameters: unknown[] = []) =>
  marketing.service.get(DataSource).query(text, parameters) as Promise<Record<string, unknown>[]>;
const change = (state: 'active' | 'suspended' | 'deleted') =>
  AccountChanged.make({ account_id, parent_account_id: null, state, revision: 2 }, { account_id });
const isPurged = async () =>
  (await sql('select from deleted_accounts where account_id = $1 and purged_at is not null', [account_id]))
    .length === 1;

/** Inserts one row of each kind for an account, and more contacts, members and recipients than one batch has. */
async function fill(account: string, many: number): Promise<void> {
  const [list, campaign] = [newId(), newId()];
  const statements: [string, unknown[]][] = [
    [`insert into attribute_definitions values ($1, 'plan', 'string', now())`, [account]],
    [
      `insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status, status_reason,
         unsubscribed, attributes)
       select gen_random_uuid(), $1, now(), now(), n || '@mail.test', '', '', 'enabled', '', false, '{}'
       from generate_series(1, $2::int) n`,
      [account, many],
    ],
    [
      `insert into contact_unsubscribes (contact_id, unsubscribed, source, created_at)
       select id, true, 'account', now() from contacts where account_id = $1`,
      [account],
    ],
    [
      `insert into lists (id, account_id, created_at, updated_at, name, description, tags)
       values ($2, $1, now(), now(), 'List', '', '{}')`,
      [account, list],
    ],
    [
      `insert into memberships (list_id, contact_id, account_id, subscription_status, created_at, updated_at)
       select $2, id, $1, 'confirmed', now(), now() from contacts where account_id = $1`,
      [account, list],
    ],
    [
      `insert into campaign_templates (id, account_id, created_at, updated_at, name)
       values (gen_random_uuid(), $1, now(), now(), 'Template')`,
      [account],
    ],
    [
      `insert into campaigns (id, account_id, created_at, updated_at, name, status, due_at)
       values ($2, $1, now(), now(), 'Campaign', 'paused', null)`,
      [account, campaign],
    ],
    ['insert into campaign_lists values ($1, 1, $2)', [campaign, list]],
    [
      `insert into campaign_recipients (campaign_id, position, contact_id, account_id, email, list_ids)
       select $2, row_number() over (), id, $1, email, '{}' from contacts where account_id = $1`,
      [account, campaign],
    ],
    ['insert into campaign_counts (campaign_id, updated_at, pending) values ($1, now(), 1)', [campaign]],
    [
      'insert into campaign_count_deltas (campaign_id, created_at, pending) values ($1, now(), 1)',
      [campaign],
    ],
    [
      `insert into campaign_fetches select gen_random_uuid(), $2, id, 'opened', null, '', '', false, now()
       from contacts where account_id = $1`,
      [account, campaign],
    ],
    [
      `insert into campaign_forgotten_messages values (gen_random_uuid(), $1, 'queued', false, false, false)`,
      [campaign],
    ],
    [
      `insert into campaign_batches (id, account_id, due_at, reason, campaign_id, first_position, last_position, state)
       values (gen_random_uuid(), $1, now(), '', $2, 0, 1, 'pending')`,
      [account, campaign],
    ],
    [
      `insert into contact_imports (id, account_id, operator, format, columns, state)
       values (gen_random_uuid(), $1, 'ann', 'csv', '{}', 'done')`,
      [account],
    ],
    ['insert into marketing_limits (account_id) values ($1)', [account]],
    ['insert into marketing_days values ($1, now(), 1)', [account]],
  ];
  for (const [statement, parameters] of statements) await sql(statement, parameters);
}

/** Tables with a row of the account, of any relation to it. */
async function leftOf(account: string): Promise<string[]> {
  const tables = await sql(`select table_name, bool_or(column_name = 'account_id') as of_account
    from information_schema.columns where table_schema = current_schema() and table_name in
      (select table_name from information_schema.columns where table_schema = current_schema()
       and column_name in ('account_id', 'contact_id', 'campaign_id', 'list_id'))
    group by 1 order by 1`);
  const left: string[] = [];
  for (const { table_name: name, of_account: ofAccount } of tables) {
    if (KEPT.includes(String(name))) continue;
    const rows = ofAccount
      ? await sql(`select from ${String(name)} where account_id = $1 limit 1`, [account])
      : await sql(`select from ${String(name)} limit 1`);
    if (rows.length > 0) left.push(String(name));
  }
  return left;
}
// the record of the deletion itself, and tables of the platform
const KEPT = ['account_states', 'deleted_accounts', 'outbox', 'idempotency_keys', 'idempotency_responses'];

describe('the rows of a deleted account', () => {
  it('are all removed, in batches, and no row of another account', async () => {
    const other = newId();
    await fill(account_id, 2_500);
    expect((await leftOf(account_id)).length).toBeGreaterThan(14);
    await marketing.bus.publish([change('deleted')]);
    await expect.poll(isPurged).toBe(true);
    expect(await leftOf(account_id)).toEqual([]);
    await fill(other, 3);
    account_id = newId();
    await fill(account_id, 3);
    await deliver(marketing.service, [change('deleted')]);
    await expect.poll(isPurged).toBe(true);
    expect((await leftOf(other)).length).toBeGreaterThan(14);
  });

  it('stay while it is suspended', async () => {
    await fill(account_id, 1);
    await deliver(marketing.service, [change('suspended')]);
    expect(await leftOf(account_id)).toContain('contacts');
    expect(await isPurged()).toBe(false);
  });

  it('are not added to by a request that was authorised before, nor by one that waits for the deletion', async () => {
    const create = () =>
      marketing.call('POST', `/v2/accounts/${account_id}/contacts`, {
        account_id,
        body: { email: 'a@mail.test' },
      });
    const runner = marketing.service.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    await recordDeletion(runner.manager, account_id);
    const waits = create();
    const waiting = () =>
      runner.query(`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`);
    await expect.poll(waiting, { interval: 10 }).toHaveLength(1);
    await runner.commitTransaction();
    await runner.release();
    for (const late of [await waits, await create()]) {
      expect([late.status, late.body]).toEqual([401, { message: 'invalid API key' }]);
    }
  });
});

it('neither a purge nor the search for stale drafts reads rows of other accounts', async () => {
  const dataSource = marketing.service.get(DataSource);
  await fill(account_id, 1);
  const [mine] = await sql('select id from campaigns where account_id = $1', [account_id]);
  await sql(
    `insert into campaigns (id, account_id, created_at, updated_at, name, status, content_language)
     select gen_random_uuid(), $1, now(), now(), 'Another', 'draft', $2 from generate_series(1, 20000)`,
    [newId(), TEMPLATE_LANGUAGE],
  );
  await sql(
    `insert into campaign_forgotten_messages
     select gen_random_uuid(), id, 'queued', false, false, false from campaigns where name = 'Another'`,
  );
  await sql('analyze campaigns, campaign_forgotten_messages');
  const statements = vi.spyOn(dataSource, 'query');
  await deliver(marketing.service, [change('deleted')]);
  await expect.poll(isPurged).toBe(true);
  await marketing.service.get(RecheckContents).run(new AbortController().signal);
  const looks = statements.mock.calls.filter(
    ([text, parameters]) =>
      text.includes('content_language') ||
      (text.includes('delete from campaign_forgotten_messages') &&
        (parameters as unknown[])[0] === mine!['id']),
  );
  statements.mockRestore();
  expect(looks.length).toBeGreaterThan(1);
  for (const [text, parameters] of looks) {
    expect(await rowsRead(dataSource, text, parameters), text).toBeLessThan(1_000);
  }
});
