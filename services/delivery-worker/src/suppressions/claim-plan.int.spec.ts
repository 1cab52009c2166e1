import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { MailHost } from '../testing/mail-host.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { IS_SUPPRESSED } from './suppression-copy.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({ databaseUrl: database.url, port: host.port });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});

const claimedFrom = (deliveries: string) =>
  `with claimed as materialized (${deliveries}) select ${IS_SUPPRESSED} as suppressed from claimed`;

it('a claim finds its suppressed recipients by one probe of the primary key each', async () => {
  await worker.database.query(
    `insert into suppressions select '00000000-0000-4000-8000-00000000000a', 'd' || nth % 3 || '.test',
       'r' || nth || '@mail.test', '9999-12-31T23:59:59Z', nth from generate_series(1, 50000) as nth`,
  );
  await worker.database.query('analyze suppressions');
  const claimed = `select '00000000-0000-4000-8000-00000000000a'::uuid as account_id, 'd1.test' as domain,
    'r' || nth || '@mail.test' as recipient, '{}' as facts from generate_series(1, 200) as nth`;
  const plan: Record<string, string>[] = await worker.database.query(
    `explain (analyze, buffers) ${claimedFrom(claimed)}`,
  );
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(text).not.toMatch(/Seq Scan on suppressions/);
  expect(text).toMatch(/Index Scan using suppressions_pkey on suppressions .*loops=200/);
  const found: { suppressed: boolean | null }[] = await worker.database.query(claimedFrom(claimed));
  expect(found.filter(({ suppressed }) => suppressed)).toHaveLength(67);
});

it('a delivery that the release before took in is looked up by its facts, unless it is a sandbox send', async () => {
  const row = (sandbox: string | null) =>
    `select '00000000-0000-4000-8000-00000000000a'::uuid as account_id, null::text as domain,
       'r1@mail.test' as recipient, '${JSON.stringify({ domain: 'd1.test', sandbox })}' as facts`;
  expect(await worker.database.query(claimedFrom(row(null)))).toEqual([{ suppressed: true }]);
  expect(await worker.database.query(claimedFrom(row('deliver')))).toEqual([{ suppressed: null }]);
});
