import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterEach, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';
import { IndexSegments1764700000020 } from './migrations/index-segments.js';

const database = testDatabase();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const { migrations, entities } = MARKETING_SERVICE.database!;
const open = async (which: typeof migrations): Promise<DataSource> => {
  const logger = createLogger({ logLevel: 'silent' }, 'marketing-test');
  const options = {
    url: database.url,
    schema: 'marketing',
    entities,
    migrations: which,
    poolSize: 2,
    logger,
  };
  const source = await openDatabase(options);
  closing.push(() => source.destroy());
  return source;
};
const OLD = 'memberships (account_id, list_id) include (contact_id)';

it('indexes of segments are made while others write, after a try that ended midway, by one of two instances', async () => {
  const before = await open(migrations.filter((one) => one !== IndexSegments1764700000020));
  // as the release before has left it, and an interrupted try
  await before.query(`create index memberships_confirmed on ${OLD} where subscription_status = 'confirmed'`);
  await before.query('create index memberships_contacts on memberships (account_id)');
  const administrator = new pg.Client(database.url);
  await administrator.connect();
  closing.push(() => administrator.end());
  await administrator.query(
    `update pg_index set indisvalid = false where indexrelid = 'marketing.memberships_contacts'::regclass`,
  );
  const accountId = newId();
  const addList = `insert into lists (id, account_id, created_at, updated_at, name, description, tags)
    values ($1, $2, now(), now(), '', '', '{}')`;
  const listId = newId();
  await before.query(addList, [listId, accountId]);
  const addMember = async (to: Pick<DataSource, 'query'>) => {
    const contactId = newId();
    await to.query(
      `insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status, status_reason,
         unsubscribed, attributes) values ($1, $2, now(), now(), $3, '', '', 'enabled', '', false, '{}')`,
      [contactId, accountId, `${contactId}@shop.test`],
    );
    await to.query(
      `insert into memberships (list_id, contact_id, account_id, subscription_status, created_at, updated_at)
       values ($1, $2, $3, 'confirmed', now(), now())`,
      [listId, contactId, accountId],
    );
  };
  const waits = async () => {
    const { rows } = await administrator.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%concurrently%' and datname = current_database()
         and pid <> pg_backend_pid()`,
    );
    return rows.length;
  };
  let instances: Promise<DataSource[]> | undefined;
  await before.transaction(async (tx) => {
    await addMember(tx);
    instances = Promise.all([open(migrations), open(migrations)]);
    // an index waits for this transaction, and other writes wait for neither
    await expect.poll(waits).toBe(1);
    await addMember(before);
  });
  const [after] = (await instances) ?? [];
  const rows: { name: string; valid: boolean; keys: number }[] = await after!.query(
    `select indexrelid::regclass::text as name, indisvalid as valid, indnkeyatts as keys from pg_index
     where indexrelid::regclass::text ~ 'memberships_(confirmed|contacts)$|recipients_(open|click)ers' order by 1`,
  );
  expect(rows.map(({ name, valid, keys }) => `${name} ${valid} ${keys}`)).toEqual([
    'campaign_recipients_clickers true 2',
    'campaign_recipients_openers true 2',
    'memberships_contacts true 2',
  ]);
});
