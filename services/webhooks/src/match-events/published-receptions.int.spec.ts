import { afterAll, beforeAll, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { startWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';
import { PublishedReceptions } from './published-receptions.js';

const database = testDatabase();
let under: WebhooksUnderTest;
beforeAll(async () => {
  under = await startWebhooks(database.url);
});
afterAll(() => under.stop());

it('published receptions are forgotten when no outcome looks back to them any more', async () => {
  const dataSource = under.service.get(DataSource);
  const [old, young] = [newId(), newId()];
  await dataSource.query(
    `insert into published_receptions (message_id, webhook_id, published_at)
     values ($1, $2, now() - interval '13 hours'), ($3, $2, now() - interval '7 hours')`,
    [old, newId(), young],
  );
  await under.service.get(PublishedReceptions).prune(new AbortController().signal);
  expect(await dataSource.query('select message_id from published_receptions')).toEqual([
    { message_id: young },
  ]);
});
