import { schemaOf, type ServiceName } from '@postmesh/contracts';
import { retryTransient } from '@postmesh/database';
import type { PeriodicTasks } from '@postmesh/work';
import { appendLeftovers, attachOutbox, KeptEvents, logSink, Outbox, OutboxRelay } from '@postmesh/events';
import type { DataSource } from 'typeorm';
import { databaseUrlOf } from '../host-context.js';
import type { HostContext } from '../service-definition.js';

// A run that is out of time leaves the rest of a republication to the next run.
const LOOK = { name: 'look-at-streams', everyMs: 10_000, timeoutMs: 120_000 };

/** Publishes the events of a service to the bus. */
export interface ServiceOutbox {
  outbox: Outbox;
  /** publishes the events that were committed before, and those from now on */
  start(tasks: PeriodicTasks): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Where the log of the bus is in the service's own database, events go into it with their change; otherwise (Kafka, or
 * a database of its own) through the outbox table and its relay.
 */
export function openOutbox(
  service: ServiceName,
  context: HostContext,
  dataSource: DataSource,
): ServiceOutbox {
  const { bus, settings, logger, metrics } = context;
  const url = databaseUrlOf(settings, service);
  const { log } = bus;
  if (log?.url === url) {
    attachOutbox(dataSource, logSink(log));
    const start = async () => {
      await retryTransient(() => appendLeftovers(dataSource, log), { what: 'outbox', logger });
    };
    return { outbox: new Outbox('log'), start, stop: async () => undefined };
  }
  const relay = new OutboxRelay({ url, schema: schemaOf(service), bus, dataSource, logger, metrics });
  attachOutbox(dataSource, relay.sink());
  const start = async (tasks: PeriodicTasks) => {
    relay.start();
    const { marks } = bus;
    if (!marks) return;
    const kept = new KeptEvents({ service, bus, marks, dataSource, logger, metrics });
    await tasks.add(LOOK, (signal) => kept.look(signal));
  };
  return { outbox: new Outbox('relay'), start, stop: () => relay.stop() };
}
