import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { testDatabase } from '@postmesh/testing';
import type { DataSource } from 'typeorm';
import { NEVER_FAILED } from '../count-calls/call-counters.rules.js';
import type { EventFlag } from '../webhook-events/webhook-events.table.js';
import { WEBHOOKS_SERVICE } from '../webhooks.definition.js';
import { FLAG_COLUMNS, ListWebhookEvents1764100001563 } from './migrations/list-webhook-events.js';
import { NO_DIALECT, WebhookEntity } from './webhook.entity.js';

const { migrations, entities } = WEBHOOKS_SERVICE.database!;
const before = migrations.slice(0, migrations.indexOf(ListWebhookEvents1764100001563));
const database = testDatabase();
let dataSource: DataSource;

const open = (through: typeof migrations) =>
  openDatabase({
    url: database.url,
    schema: 'webhooks_test',
    entities,
    migrations: through,
    poolSize: 2,
    logger: createLogger({ logLevel: 'warn' }, 'webhooks-test'),
  });

/** Inserts a row like the previous release: a boolean per event. */
async function insertByOldRelease(on: readonly string[]): Promise<string> {
  const id = newId();
  const flags = FLAG_COLUMNS.map((flag) => on.includes(flag)).join(', ');
  await dataSource.query(
    `insert into webhooks (id, account_id, created_at, updated_at, name, url, sealed_secret, enabled, scope,
       ${FLAG_COLUMNS.join(', ')}) values ($1, $1, now(), now(), 'Hook', 'https://a.test/', '', true, 'global', ${flags})`,
    [id],
  );
  return id;
}

/** The events of a row as read by each release. */
async function read(id: string): Promise<{ older: string[]; newer: string[] }> {
  const [row] = await dataSource.query('select * from webhooks where id = $1', [id]);
  return { older: FLAG_COLUMNS.filter((flag) => row[flag]), newer: row.events };
}

const both = (events: readonly string[]) => ({ older: events, newer: events });
const SOME = ['on_delivered', 'on_dns_error'] as const;
const rows = new Map<string, readonly string[]>();

beforeAll(async () => {
  dataSource = await open(before);
  for (const on of [[], SOME, ...FLAG_COLUMNS.map((flag) => [flag]), FLAG_COLUMNS]) {
    rows.set(await insertByOldRelease(on), on);
  }
  await dataSource.destroy();
  dataSource = await open(migrations);
});
afterAll(() => dataSource.destroy());

it('rows of the previous release have the events that were on', async () => {
  for (const [id, on] of rows) expect(await read(id)).toEqual(both(on));
});

it('inserts and updates of the previous release are in the array', async () => {
  const id = await insertByOldRelease(SOME);
  expect(await read(id)).toEqual(both(SOME));
  await dataSource.query(
    'update webhooks set on_dns_error = false, on_opened = true, revision = 2 where id = $1',
    [id],
  );
  expect(await read(id)).toEqual(both(['on_delivered', 'on_opened']));
});

it('inserts and updates of this release are in the columns of the previous release', async () => {
  const id = newId();
  const at = new Date();
  const row: WebhookEntity = {
    id,
    account_id: id,
    created_at: at,
    updated_at: at,
    revision: 1,
    name: 'Hook',
    url: 'https://a.test/',
    sealed_url: null,
    sealed_secret: '',
    enabled: true,
    scope: 'global',
    domains: [],
    events: [...SOME],
    success_count: '0',
    error_count: '0',
    last_request_at: null,
    ...NEVER_FAILED,
    ...NO_DIALECT,
  };
  await dataSource.manager.insert(WebhookEntity, row);
  expect(await read(id)).toEqual(both(SOME));
  await dataSource.manager.update(WebhookEntity, { id }, { events: ['on_clicked'] });
  expect(await read(id)).toEqual(both(['on_clicked']));
  await dataSource.manager.update(WebhookEntity, { id }, { name: 'New', events: ['on_clicked'] });
  expect(await read(id)).toEqual(both(['on_clicked']));
});

it('an event without a column stays when the release before writes the row', async () => {
  const id = await insertByOldRelease(SOME);
  const events = [...SOME, 'on_later' as EventFlag];
  await dataSource.manager.update(WebhookEntity, { id }, { events });
  expect(await read(id)).toEqual({ older: SOME, newer: events });
  await dataSource.query('update webhooks set on_delivered = false, on_dns_error = true where id = $1', [id]);
  expect(await read(id)).toEqual({ older: ['on_dns_error'], newer: ['on_dns_error', 'on_later'] });
});

it('a count of calls does not run the trigger', async () => {
  const [{ columns }] = await dataSource.query(
    `select array_length(tgattr::int2[], 1) as columns from pg_trigger where tgname = 'keep_webhook_flags'`,
  );
  expect(columns).toBe(1 + FLAG_COLUMNS.length);
});
