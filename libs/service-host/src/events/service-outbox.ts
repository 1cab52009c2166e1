import { schemaOf, type ServiceName } from '@postmesh/contracts';
import { retryTransient } from '@postmesh/database';
import type { PeriodicTasks } from '@postmesh/work';
import {
  appendLeftovers,
  appendOldOutbox,
  attachOutbox,
  logSink,
  LostStreams,
  Outbox,
  OutboxRelay,
  trimLog,
} from '@postmesh/events';
import type { DataSource } from 'typeorm';
import { databaseUrlOf } from '../host-context.js';
import type { HostContext } from '../service-definition.js';

// A run that is out of time leaves the rest of a republication to the next run.
const LOOK = { name: 'look-at-streams', everyMs: 10_000, timeoutMs: 120_000 };
const TRIM = { name: 'trim-log', everyMs: 30_000, timeoutMs: 120_000 };
// A reader that is down for longer than this may miss events of a lost stream. Where none can be lost, an operator may
// still look at the last hour.
const KEEP_LOSABLE_MS = 6 * 86_400_000;
const KEEP_SAFE_MS = 3_600_000;
const MOST_EVENTS = 5_000_000;
const NEVER = new AbortController().signal;

/** Publishes the events of a service to the bus. */
export interface ServiceOutbox {
  outbox: Outbox;
  /** publishes the events that were committed before, and those from now on */
  start(tasks: PeriodicTasks): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Events go into a log with their change: into that of the bus where it is in the service's own database; otherwise
 * (Kafka, or a database of its own) into one of the service, which its relay reads.
 */
export function openOutbox(
  service: ServiceName,
  context: HostContext,
  dataSource: DataSource,
): ServiceOutbox {
  const { bus, settings, logger, metrics } = context;
  const url = databaseUrlOf(settings, service);
  const { log } = bus;
  const schema = schemaOf(service);
  if (log?.url === url) {
    attachOutbox(dataSource, logSink(log));
    const start = async () => {
      await retryTransient(() => appendLeftovers(dataSource, log), { what: 'outbox', logger });
      // of a relay that it had before
      await retryTransient(() => trim(dataSource, { schema, keepMs: 0, signal: NEVER }), {
        what: 'log',
        logger,
      });
    };
    return { outbox: new Outbox(), start, stop: async () => undefined };
  }
  const relay = new OutboxRelay({ url, schema, bus, dataSource, logger, metrics });
  attachOutbox(dataSource, relay.sink());
  const start = async (tasks: PeriodicTasks) => {
    relay.start();
    const { marks } = bus;
    const lost = marks && new LostStreams({ service, schema, bus, marks, dataSource, logger, metrics });
    await tasks.add(LOOK, async (signal) => {
      await appendOldOutbox(dataSource, schema);
      await lost?.look(signal);
    });
    const keepMs = marks ? KEEP_LOSABLE_MS : KEEP_SAFE_MS;
    await tasks.add(TRIM, (signal) => trim(dataSource, { schema, keepMs, mostEvents: MOST_EVENTS, signal }));
  };
  return { outbox: new Outbox(), start, stop: () => relay.stop() };
}

async function trim(dataSource: DataSource, trimming: Parameters<typeof trimLog>[1]): Promise<void> {
  await trimLog(
    (work) => dataSource.transaction((tx) => work((text, values) => tx.query(text, values))),
    trimming,
  );
}
