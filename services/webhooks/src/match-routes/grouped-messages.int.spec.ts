import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { rowsRead, testDatabase } from '@postmesh/testing';
import { startWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';
import { GroupedMessages } from './grouped-messages.js';

const database = testDatabase();
let under: WebhooksUnderTest;
beforeAll(async () => {
  under = await startWebhooks(database.url);
});
afterAll(() => under.stop());

it('a prune of grouped messages reads the rows that it removes, among younger ones', async () => {
  const dataSource = under.service.get(DataSource);
  await dataSource.query(
    `insert into grouped_messages (route_id, message_key, called_at)
     select gen_random_uuid(), nth::text, now() - case when nth % 40 = 0 then interval '2 days' else interval '0' end
     from generate_series(1, 40000) as nth`,
  );
  await dataSource.query('analyze grouped_messages');
  const statements = vi.spyOn(dataSource, 'query');
  await under.service.get(GroupedMessages).prune(new AbortController().signal);
  const [sql, parameters] = statements.mock.calls.find(([text]) =>
    text.includes('delete from grouped_messages'),
  )!;
  statements.mockRestore();
  expect(await dataSource.query('select count(*)::int as left from grouped_messages')).toEqual([
    { left: 39_000 },
  ]);
  expect(await rowsRead(dataSource, sql, parameters)).toBeLessThan(1_000);
});
