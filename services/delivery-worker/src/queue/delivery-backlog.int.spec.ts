import { afterAll, beforeAll, expect, it } from 'vitest';
import { Metrics } from '@postmesh/observability';
import { testDatabase } from '@postmesh/testing';
import { ShapingMemory } from '../shaping/shaping-memory.js';
import { MailHost } from '../testing/mail-host.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const HOUR_MS = 3_600_000;

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({ databaseUrl: database.url, port: host.port });
});
afterAll(async () => {
  await host?.stop();
  await worker?.stop();
});

it('metrics distinguish sendable deliveries, with their age, from those that wait for others', async () => {
  const firstAttempt = new Date(Date.now() + HOUR_MS);
  const to = ['due', 'held', 'later', 'suspended'].map((name) => `ann@${name}.test`);
  await worker.accept({ to, firstAttempt });
  await expect.poll(() => worker.deliveries()).toHaveLength(4);
  const memory = worker.service.get(ShapingMemory);
  const group = memory.of('p:google', '');
  const now = Date.now();
  group.set({ ...group.state(now), suspendedUntil: now + HOUR_MS });
  // rows without a group or in a suspended group are not claimed
  await worker.database.query(`update deliveries set state = case split_part(destination, '.', 1)
      when 'suspended' then 'suspended' when 'later' then 'waiting' else 'ready' end,
    due_at = case destination when 'later.test' then due_at else now() - interval '100 seconds' end,
    group_key = case destination when 'held.test' then 'p:google' end`);
  const page = await worker.service.get(Metrics).render();
  const valueOf = (name: string) =>
    Number(
      page
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    );
  expect(valueOf('postmesh_deliveries_due')).toBe(1);
  expect(valueOf('postmesh_deliveries_due_oldest_seconds')).toBeGreaterThanOrEqual(100);
  for (const reason of ['provider', 'time', 'account'])
    expect(valueOf(`postmesh_deliveries_waiting{reason="${reason}"}`)).toBe(1);
  expect(valueOf('postmesh_smtp_groups_suspended{provider="google",needs_operator="false"}')).toBe(1);
});
