import type { DataSource } from 'typeorm';
import type { ServiceName } from '@postmesh/contracts';
import type { Idempotency } from '@postmesh/idempotency';
import { Inbox, pruneCrashNotes, pruneDeadLetters } from '@postmesh/outbox';
import type { HostContext } from './service-definition.js';

// No bus redelivers later than this: Kafka keeps a week by default, the embedded log an hour.
const REDELIVERY_DAYS = 8;
// Each run goes on until nothing is left; what a run cannot do in its time, the next one does.
const EVERY_MS = 60_000;
const RUN_MS = 600_000;

interface House {
  service: ServiceName;
  dataSource: DataSource;
  idempotency: Idempotency;
}

/**
 * Periodic work that every service with a database has: pruning stored responses, handled events, notes of crashes and
 * dead letters.
 */
export async function startHousekeeping(house: House, context: HostContext): Promise<void> {
  const work = { queue: house.service, name: 'housekeeping', everyMs: EVERY_MS, timeoutMs: RUN_MS };
  await context.jobs.repeat(work, (signal) => keepHouse(house, context, signal));
}

/** @param signal ends the work between two pieces */
export async function keepHouse(
  { dataSource, idempotency }: Omit<House, 'service'>,
  { settings: { deadLetterDays }, logger }: Pick<HostContext, 'settings' | 'logger'>,
  signal: AbortSignal,
): Promise<void> {
  await idempotency.prune(signal);
  await new Inbox().prune(dataSource, { days: REDELIVERY_DAYS, signal });
  await pruneCrashNotes(dataSource, { days: REDELIVERY_DAYS, signal });
  const count = await pruneDeadLetters(dataSource, { days: deadLetterDays, signal });
  if (count === 0) return;
  const line = { event: 'dead_letters.pruned', count, days: deadLetterDays };
  logger.warn(line, 'dead letters deleted that nobody replayed');
}
