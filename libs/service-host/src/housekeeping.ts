import type { DataSource } from 'typeorm';
import { z } from 'zod';
import type { ServiceName } from '@postmesh/contracts';
import { Idempotency } from '@postmesh/idempotency';
import { defineJob } from '@postmesh/jobs';
import { Inbox } from '@postmesh/outbox';
import type { HostContext } from './service-definition.js';

// No bus redelivers later than this: Kafka keeps a week by default, the embedded log an hour.
const INBOX_DAYS = 8;
const EVERY_MS = 600_000;
// 50 batches of 20,000 rows: a run that finds more goes on in the next one.
const MOST_BATCHES = 50;

/** Periodic work that every service with a database has: forgetting handled events and old answers. */
export async function startHousekeeping(
  service: ServiceName,
  context: HostContext,
  dataSource: DataSource,
): Promise<void> {
  const job = defineJob({
    queue: service,
    name: 'housekeeping',
    payload: z.object({}),
    attempts: 1,
    backoff: { firstMs: 1_000, maxMs: 1_000 },
    timeoutMs: 300_000,
    concurrency: 1,
  });
  const inbox = new Inbox();
  const idempotency = new Idempotency(dataSource, context.settings);
  await context.jobs.process(
    { housekeeping: job },
    {
      housekeeping: async ({ signal }) => {
        await inBatches(signal, () => inbox.prune(dataSource, INBOX_DAYS));
        await idempotency.prune();
      },
    },
  );
  await context.jobs.every(job, {}, { id: 'housekeeping', everyMs: EVERY_MS });
}

/** Repeats a bounded step until it has nothing left to do. */
async function inBatches(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch++) {
    if ((await step()) === 0) return;
  }
}
