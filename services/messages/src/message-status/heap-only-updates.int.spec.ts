import { afterAll, beforeAll, expect, it } from 'vitest';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { startSends, type SendsUnderTest } from '../testing/sends-under-test.js';

const MESSAGES = 60;
// outcomes per transaction, as at a few hundred a second
const TOGETHER = 10;
const POOL = 4;

const database = testDatabase();
let under: SendsUnderTest;

beforeAll(async () => {
  under = await startSends(database.url, { databasePoolSize: POOL });
});
afterAll(() => under?.stop());

async function acceptMessages(): Promise<string[]> {
  const recipients = Array.from({ length: MESSAGES }, (_, nth) => ({ email: `reader${nth}@mail.test` }));
  const { status, body } = await under.send('', {
    from: { email: 'news@shop.test' },
    subject: 'News',
    text_content: 'There is some.',
    recipients,
  });
  expect(status).toBe(202);
  return body.data.map(({ id }: { id: string }) => id.slice(1, 37));
}

const delivered = (message_id: string) =>
  DeliveryAttempted.make(
    { ...DeliveryAttempted.examples[0]!, message_id, outcome: 'delivered', attempt: 1 },
    { account_id: under.accountId },
  );

interface Updates {
  all: number;
  heapOnly: number;
}

/** Updates of the table of messages in the server's statistics. */
async function updates(): Promise<Updates> {
  // each connection of the pool reports its counts with a delay
  await Promise.all(Array.from({ length: POOL }, () => under.sql('select pg_stat_force_next_flush()')));
  const [counted] = await under.sql<Updates>(
    `select n_tup_upd::int as all, n_tup_hot_upd::int as "heapOnly" from pg_stat_user_tables
     where schemaname = 'messages' and relname = 'messages'`,
  );
  return counted!;
}

it('a status is written next to its row, without an entry in any index', async () => {
  const ids = await acceptMessages();
  for (let at = 0; at < ids.length; at += TOGETHER)
    await deliver(under.service, ids.slice(at, at + TOGETHER).map(delivered));
  expect(await under.sql(`select distinct status from messages`)).toEqual([{ status: 'Delivered' }]);
  await expect.poll(async () => (await updates()).all).toBeGreaterThanOrEqual(MESSAGES);
  const { all, heapOnly } = await updates();
  // one index on a changed column would leave none; a page may be full while a snapshot still needs its old rows
  expect(heapOnly / all).toBeGreaterThanOrEqual(0.5);
});
