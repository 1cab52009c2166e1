import type { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import type { ServiceName } from '@postmesh/contracts';
import { Idempotency } from '@postmesh/idempotency';
import { Inbox } from '@postmesh/outbox';
import type { HostContext } from './service-definition.js';

// No bus redelivers later than this: Kafka keeps a week by default, the embedded log an hour.
const INBOX_DAYS = 8;
const EVERY_MS = 600_000;
// 50 batches of 20,000 rows: a run that finds more goes on in the next one.
const MAX_BATCHES = 50;

/** Periodic work that every service with a database has: pruning handled events and old responses. */
export async function startHousekeeping(
  service: ServiceName,
  context: HostContext,
  dataSource: DataSource,
): Promise<void> {
  const inbox = new Inbox();
  const idempotency = new Idempotency(dataSource, context.settings);
  const work = { queue: service, name: 'housekeeping', everyMs: EVERY_MS, timeoutMs: 300_000 };
  await context.jobs.repeat(work, async (signal) => {
    const limits = { size: 1, max: MAX_BATCHES, signal };
    await inBatches(() => inbox.prune(dataSource, INBOX_DAYS), limits);
    await idempotency.prune();
  });
}
