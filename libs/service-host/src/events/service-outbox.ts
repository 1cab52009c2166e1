import { schemaOf, type ServiceName } from '@postmesh/contracts';
import { retryTransient } from '@postmesh/database';
import type { PeriodicTasks } from '@postmesh/jobs';
import { appendLeftovers, attachOutbox, KeptEvents, logSink, Outbox, OutboxRelay } from '@postmesh/outbox';
import type { DataSource } from 'typeorm';
import { databaseUrlOf } from '../host-context.js';
import type { HostContext } from '../service-definition.js';

// Of what is republished a run leaves to the next one what it has no time for.
const LOOK = { name: 'look-at-streams', everyMs: 10_000, timeoutMs: 120_000 };

/** The way of a service's events onto the bus. */
export interface ServiceOutbox {
  outbox: Outbox;
  /** publishes what was committed before, and from now on */
  start(tasks: PeriodicTasks): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Where the log of the bus is in the service's own database, events go into it with their change; otherwise (Kafka, or
 * a database of its own) through the outbox table and its relay.
 * A process that serves requests only writes there, and leaves what was written before, and the relay, to the other one.
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
      if (context.requestsOnly) return;
      await retryTransient(() => appendLeftovers(dataSource, log), { what: 'outbox', logger });
    };
    return { outbox: new Outbox('log'), start, stop: async () => undefined };
  }
  const relay = new OutboxRelay({ url, schema: schemaOf(service), bus, dataSource, logger, metrics });
  attachOutbox(dataSource, relay.sink());
  const start = async (tasks: PeriodicTasks) => {
    // its commits wake the relay of the other process
    if (context.requestsOnly) return;
    relay.start();
    const { marks } = bus;
    if (!marks) return;
    const kept = new KeptEvents({ service, bus, marks, dataSource, logger, metrics });
    await tasks.add(LOOK, (signal) => kept.look(signal));
  };
  return { outbox: new Outbox('relay'), start, stop: () => relay.stop() };
}
