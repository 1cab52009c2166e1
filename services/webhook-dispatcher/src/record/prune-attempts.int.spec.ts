import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';
import { PruneAttempts } from './prune-attempts.js';

const database = testDatabase();
let under: DispatcherUnderTest;
beforeAll(async () => {
  under = await startDispatcher(database.url);
});
afterAll(() => under.stop());

it('attempts are forgotten after a week', async () => {
  const [old, young] = [newId(), newId()];
  await under.database.query(
    `insert into attempts (delivery_id, attempt, webhook_id, event_type, host, started_at, duration_ms, outcome)
     select delivery_id, 1, $3, 'message.delivered', 'shop.test', now() - age, 1, 'succeeded'
     from (values ($1::uuid, interval '8 days'), ($2::uuid, interval '6 days')) as made(delivery_id, age)`,
    [old, young, newId()],
  );
  await under.service.get(PruneAttempts).prune(new AbortController().signal);
  expect(await under.database.query('select delivery_id from attempts')).toEqual([{ delivery_id: young }]);
});

it('metrics tell how late the oldest call is, and what was made of others', async () => {
  const text = await under.context.metrics.render();
  expect(text).toContain('postmesh_webhook_deliveries_late_seconds 0');
  expect(text).toContain('postmesh_webhook_deliveries_in_flight 0');
});
