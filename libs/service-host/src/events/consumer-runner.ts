import type { ModulesContainer } from '@nestjs/core';
import { Permanent, type EventEnvelope, type ServiceName } from '@postmesh/contracts';
import { retryTransient, type SessionMark } from '@postmesh/database';
import type { RunningSubscription } from '@postmesh/event-bus';
import { CrashWatch, EventConsumption, type ConsumptionObserver } from '@postmesh/outbox';
import type { DataSource } from 'typeorm';
import type { HostContext } from '../service-definition.js';
import { findConsumers } from './find-consumers.js';

/** Joins a service's consumers to the bus; the service's name is its consumer group. */
export class ConsumerRunner {
  private consumption: EventConsumption | undefined;
  private crashes: CrashWatch | undefined;
  private subscription: RunningSubscription | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly service: ServiceName,
    private readonly context: HostContext,
    private readonly dataSource: DataSource | undefined,
    private readonly mark: SessionMark | undefined,
  ) {}

  /**
   * Joins the group once everything that the consumers need is there. A service that consumes nothing joins none, nor
   * does one that serves requests only.
   * @throws Error when a consumer could never run
   */
  async start(): Promise<void> {
    const consumers = findConsumers(this.modules, this.service);
    const { dataSource, context, service, mark } = this;
    if (!dataSource) {
      if (consumers.length > 0) throw new Error(`${service} has consumers, but no database for what they do`);
      return;
    }
    const { logger } = context;
    const observer = observeEvents(context, service);
    const tracer = context.tracing.of(service);
    const crashes = mark && consumers.length > 0 ? new CrashWatch({ dataSource, mark, logger }) : undefined;
    const about = { service, dataSource, consumers, logger };
    this.consumption = new EventConsumption({ ...about, observer, tracer, crashes });
    const streams = this.consumption.streams();
    if (streams.length === 0 || context.requestsOnly) return;
    await retryTransient(async () => crashes?.begin(), { what: 'runs of consumers', logger });
    this.crashes = crashes;
    const handle = this.consumption.handle.bind(this.consumption);
    const { positions } = this.consumption;
    this.subscription = await context.bus.subscribe({ group: service, streams, positions, handle });
  }

  /** Leaves the group; the bus itself belongs to whoever opened it. */
  async stop(): Promise<void> {
    // first: the subscription waits for its batch, which may wait for its turn
    this.crashes?.refuse();
    await this.subscription?.stop();
    this.subscription = undefined;
    await this.crashes?.end();
    this.crashes = undefined;
  }

  /** @throws Permanent in a service without a database */
  replay(wanted: {
    consumer?: string;
    ids?: readonly string[];
  }): Promise<{ replayed: number; failed: number }> {
    return this.started().replay(wanted);
  }

  /** Hands events to their consumers in one transaction, as the bus would, with no second try: for tests. */
  deliver(events: readonly EventEnvelope[]): Promise<void> {
    return this.started().deliver(
      events.map((event) => ({
        stream: event.stream,
        at: 'test',
        text: JSON.stringify(event),
        mayRepeat: true,
      })),
    );
  }

  private started(): EventConsumption {
    if (!this.consumption) throw new Permanent(`${this.service} consumes nothing`);
    return this.consumption;
  }
}

/** Counts what a service does with the events that it consumes. */
function observeEvents({ metrics }: HostContext, service: string): ConsumptionObserver {
  const handled = metrics.counter('postmesh_events_handled_total', 'Events handled', ['service', 'pattern']);
  const ignored = metrics.counter('postmesh_events_ignored_total', 'Events that no consumer knows', [
    'service',
    'pattern',
  ]);
  const died = metrics.counter('postmesh_events_dead_total', 'Events that became dead letters', [
    'service',
    'kind',
  ]);
  const redelivered = metrics.counter('postmesh_event_batches_redelivered_total', 'Batches that came again', [
    'service',
    'kind',
  ]);
  const split = metrics.counter(
    'postmesh_event_batches_split_total',
    'Batches that took too long and were tried by halves',
    ['service'],
  );
  const took = metrics.histogram('postmesh_event_batch_seconds', 'Handling of one batch', [
    'service',
    'pattern',
  ]);
  return {
    handled: (pattern, events, tookMs) => {
      handled.inc({ service, pattern }, events);
      took.observe({ service, pattern }, tookMs / 1000);
    },
    ignored: (pattern, events) => ignored.inc({ service, pattern }, events),
    died: (kind) => died.inc({ service, kind }),
    split: () => split.inc({ service }),
    redelivered: (kind) => redelivered.inc({ service, kind }),
  };
}
