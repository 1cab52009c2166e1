import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newId } from '@postmesh/contracts';
import { rowsRead, testDatabase } from '@postmesh/testing';
import { startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';
import { partitionOf } from './day-partitions.rules.js';
import { KeepByDay } from './keep-by-day.js';

const DAY_MS = 86_400_000;
const database = testDatabase();
let under: DispatcherUnderTest;
beforeAll(async () => {
  under = await startDispatcher(database.url);
});
afterAll(() => under.stop());

const partitions = async (table: string): Promise<string[]> => {
  const rows: { name: string }[] = await under.database.query(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${table}'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
};
const addAttempt = (at: Date, id = newId()) =>
  under.database.query(
    `insert into webhook_attempts (delivery_id, attempt, target, endpoint_id, account_id, event_type, host, started_at,
       duration_ms, redirects, outcome)
     values ($1, 1, 'webhook', $1, $1, 'message.delivered', 'shop.test', $2, 1, 0, 'succeeded')`,
    [id, at],
  );
const names = (days: readonly number[], now: Date) =>
  days.map((day) => partitionOf('webhook_attempts', new Date(now.getTime() + day * DAY_MS)).name);

it('attempts are stored in a partition per day, created some days ahead and dropped after thirty', async () => {
  const now = new Date();
  expect(await partitions('webhook_attempts')).toEqual(
    [...names([-1, 0, 1, 2, 3], now), 'webhook_attempts_else'].sort(),
  );
  await addAttempt(now);
  const keep = under.service.get(KeepByDay);
  const later = new Date(now.getTime() + 30 * DAY_MS);
  await keep.run(new AbortController().signal, later);
  expect(await partitions('webhook_attempts')).toEqual(
    [...names([0, 1, 2, 3], now), ...names([-1, 0, 1, 2, 3], later), 'webhook_attempts_else'].sort(),
  );
  await keep.run(new AbortController().signal, new Date(later.getTime() + DAY_MS));
  expect(await under.database.query('select delivery_id from webhook_attempts')).toEqual([]);
});

it('a machine whose clock is ahead drops nothing', async () => {
  const id = newId();
  await addAttempt(new Date(), id);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * DAY_MS });
  await under.service
    .get(KeepByDay)
    .run(new AbortController().signal)
    .finally(() => vi.useRealTimers());
  const kept = 'delete from webhook_attempts where delivery_id = $1 returning delivery_id';
  expect(await under.database.query(kept, [id])).toEqual([[{ delivery_id: id }], 1]);
});

it('attempts of a day without a partition are stored in the default partition, and pruned there', async () => {
  const [old, young] = [newId(), newId()];
  await addAttempt(new Date(Date.now() - 31 * DAY_MS), old);
  await addAttempt(new Date(Date.now() - 20 * DAY_MS), young);
  await under.service.get(KeepByDay).run(new AbortController().signal);
  expect(await under.database.query('select delivery_id from webhook_attempts')).toEqual([
    { delivery_id: young },
  ]);
});

it('pruning the default partition does not read the rows that stay', async () => {
  await under.database.query(
    `insert into webhook_attempts (delivery_id, attempt, target, endpoint_id, account_id, event_type, host, started_at,
       duration_ms, redirects, outcome)
     select gen_random_uuid(), 1, 'webhook', $1, $1, 'message.delivered', 'shop.test',
       now() - case when nth <= 12000 then interval '31 days' else interval '20 days' end, 1, 0, 'succeeded'
     from generate_series(1, 40000) as nth`,
    [newId()],
  );
  await under.database.query('analyze webhook_attempts');
  const statements = vi.spyOn(under.database, 'query');
  await under.service.get(KeepByDay).run(new AbortController().signal);
  const prunes = statements.mock.calls.filter(([text]) => text.includes('delete from webhook_attempts_else'));
  statements.mockRestore();
  const [row] = await under.database.query('select count(*)::int as left from webhook_attempts_else');
  expect(row.left).toBeLessThan(28_010);
  const [sql, parameters] = prunes.at(-1)!;
  expect(await rowsRead(under.database, sql, parameters)).toBeLessThan(1_000);
  await under.database.query('delete from webhook_attempts');
});

it('rows of the previous release are shown, and deleted after a week', async () => {
  const [old, young] = [newId(), newId()];
  await under.database.query(
    `insert into attempts (delivery_id, attempt, webhook_id, event_type, host, started_at, duration_ms, outcome)
     select delivery_id, 1, $3, 'message.delivered', 'shop.test', now() - age, 1, 'succeeded'
     from (values ($1::uuid, interval '8 days'), ($2::uuid, interval '6 days')) as made(delivery_id, age)`,
    [old, young, newId()],
  );
  await under.service.get(KeepByDay).run(new AbortController().signal);
  expect((await under.internal('GET', `/operator/deliveries/${old}`)).status).toBe(404);
  expect((await under.internal('GET', `/operator/deliveries/${young}`)).body.attempts).toMatchObject([
    { attempt: 1, target: 'webhook', response: null },
  ]);
});

it('metrics report the age of the oldest due call, and the outcomes of others', async () => {
  const text = await under.context.metrics.render();
  expect(text).toContain('postmesh_webhook_deliveries_late_seconds 0');
  expect(text).toContain('postmesh_webhook_deliveries_in_flight 0');
});
