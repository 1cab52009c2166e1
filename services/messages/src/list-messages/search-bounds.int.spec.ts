import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';

const database = testDatabase();
let messages: TestService;

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, { databaseUrl: database.url });
});
afterAll(() => messages?.stop());

const list = (accountId: string, query: string) =>
  messages.call('GET', `/v2/accounts/${accountId}/messages?${query}`, { account_id: accountId });

it('searches of one account are serialised and do not wait for those of other accounts; too many are refused', async () => {
  const blocker = messages.service.get(DataSource).createQueryRunner();
  await blocker.connect();
  await blocker.startTransaction();
  // only a filter by status reads this table
  await blocker.query('lock table search_changes in access exclusive mode');
  const busy = newId();
  const searches = Array.from({ length: 80 }, () => list(busy, 'status=Bounced'));
  const settled = Promise.all(searches.map(async (search) => (await search).status));
  const refused = await Promise.race(
    searches.map(async (search) => {
      const response = await search;
      return response.status === 429 ? response : new Promise<never>(() => undefined);
    }),
  );
  expect(refused.body).toEqual({ message: 'Too many requests, rate limited.' });
  expect((await list(newId(), 'sender=a@shop.test')).status).toBe(200);
  await blocker.rollbackTransaction();
  await blocker.release();
  const statuses = await settled;
  // one runs and fifty wait
  expect(statuses.slice(0, 2)).toEqual([200, 200]);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(29);
  expect((await list(busy, 'status=Bounced')).status).toBe(200);
});
