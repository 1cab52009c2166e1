import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { rowsRead, testDatabase } from '@postmesh/testing';
import { startWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';
import { GroupedMessages } from '../match-routes/grouped-messages.js';
import { PublishedReceptions } from './published-receptions.js';

const database = testDatabase();
let under: WebhooksUnderTest;
beforeAll(async () => {
  under = await startWebhooks(database.url, {}, { periodic: false });
});
afterAll(() => under.stop());

it('published receptions are deleted after the look-back of outcomes', async () => {
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

it.each([
  ['published_receptions', 'message_id, webhook_id, published_at', 'gen_random_uuid()', PublishedReceptions],
  ['grouped_messages', 'route_id, message_key, called_at', 'nth::text', GroupedMessages],
] as const)(
  'a prune of %s reads the rows that it removes, among younger ones',
  async (table, columns, key, job) => {
    const dataSource = under.service.get(DataSource);
    await dataSource.query(`truncate ${table}`);
    await dataSource.query(
      `insert into ${table} (${columns})
     select gen_random_uuid(), ${key}, now() - case when nth % 40 = 0 then interval '2 days' else interval '0' end
     from generate_series(1, 40000) as nth`,
    );
    await dataSource.query(`analyze ${table}`);
    const statements = vi.spyOn(dataSource, 'query');
    await under.service.get<PublishedReceptions | GroupedMessages>(job).prune(new AbortController().signal);
    const [sql, parameters] = statements.mock.calls.find(([text]) => text.includes(`delete from ${table}`))!;
    statements.mockRestore();
    expect(await dataSource.query(`select count(*)::int as left from ${table}`)).toEqual([{ left: 39_000 }]);
    expect(await rowsRead(dataSource, sql, parameters)).toBeLessThan(1_000);
  },
);
