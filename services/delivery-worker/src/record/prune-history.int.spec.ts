import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { testDatabase } from '@postmesh/testing';
import { DELIVERY_WORKER_SERVICE } from '../delivery-worker.definition.js';
import { WorkerLease } from '../lease/worker-lease.js';
import { MailHost } from '../testing/mail-host.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { PruneHistory } from './prune-history.js';

const database = testDatabase();
const alone = testDatabase();
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

const prune = () => worker.service.get(PruneHistory).prune(new AbortController().signal);
const idsOf = async (sql: string) =>
  ((await worker.database.query(sql)) as { id: string }[]).map(({ id }) => id).sort();
const messages = () => idsOf('select send_request_id as id from messages');

it('forgets old messages that nobody waits for, and no others', async () => {
  const [done] = await worker.accept();
  const [fresh] = await worker.accept();
  const [waiting] = await worker.accept({ firstAttempt: new Date(Date.now() + 3_600_000) });
  await Promise.all([worker.outcome(done!, 'delivered'), worker.outcome(fresh!, 'delivered')]);
  await expect.poll(() => worker.deliveries()).toHaveLength(1);
  await worker.database.query(
    `update messages set accepted_at = now() - interval '11 minutes' where send_request_id <> $1`,
    [fresh],
  );
  await prune();
  expect(await messages()).toEqual([fresh!, waiting!].sort());
});

it('forgets attempts after seven days', async () => {
  const [old, young] = [newId(), newId()];
  await worker.database.query(
    `insert into attempts (delivery_id, attempt, outcome, finished_at)
     values ($1, 1, 'delivered', now() - interval '7 days 1 second'), ($2, 1, 'delivered', now() - interval '6 days')`,
    [old, young],
  );
  await prune();
  const left = await idsOf('select delivery_id as id from attempts');
  expect(left).toContain(young);
  expect(left).not.toContain(old);
});

it('forgets workers that are long dead and hold nothing', async () => {
  // tables without a worker: a living one would free what the dead ones hold
  const tables = await openDatabase({
    url: alone.url,
    schema: 'delivery_worker',
    entities: [],
    migrations: DELIVERY_WORKER_SERVICE.database!.migrations,
    poolSize: 2,
    logger: createLogger({ logLevel: 'silent' }, 'test'),
  });
  const [dead, holding, silent] = [newId(), newId(), newId()];
  await tables.query(
    `insert into workers values ($1, now(), now() - interval '61 minutes'), ($2, now(), now() - interval '61 minutes'),
       ($3, now(), now() - interval '59 minutes')`,
    [dead, holding, silent],
  );
  await tables.query(
    `insert into deliveries (id, send_request_id, recipient, destination, due_at, state, lease_owner)
     values ($1, $1, 'a@mail.test', 'mail.test', now(), 'leased', $2)`,
    [newId(), holding],
  );
  await new WorkerLease(tables).forgetDead();
  const left: { id: string }[] = await tables.query('select id from workers');
  expect(left.map(({ id }) => id).sort()).toEqual([holding, silent].sort());
  await tables.destroy();
});
