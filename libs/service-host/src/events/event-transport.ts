import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { Permanent, type EventEnvelope, type ServiceName } from '@postmesh/contracts';
import { retryTransient, type SessionMark } from '@postmesh/database';
import {
  CrashWatch,
  EventConsumption,
  type ConsumerEntry,
  type ConsumptionObserver,
  type EventBus,
  type RunningSubscription,
} from '@postmesh/events';
import { isObservable, lastValueFrom } from 'rxjs';
import type { DataSource } from 'typeorm';
import type { HostContext } from '../service-definition.js';
import { checkConsumers, type BoundConsumer } from './check-consumers.js';
import { EVENT_TRANSPORT, EventContext } from './consumes.decorator.js';

/**
 * The transport by which Nest hands events to the controllers of a service: the event bus with any driver. The
 * service's name is its consumer group. Nest finds the methods (`@Consumes`) and makes handlers of them; transactions,
 * positions, retries and dead letters are those of EventConsumption, which calls a handler once for the events of a
 * batch.
 */
export class EventTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = EVENT_TRANSPORT;
  /** EventConsumption classifies the errors of handlers */
  override readonly propagatesEventHandlerErrors = true;
  private consumption: EventConsumption | undefined;
  private crashes: CrashWatch | undefined;
  private subscription: RunningSubscription | undefined;

  constructor(
    private readonly service: ServiceName,
    private readonly context: HostContext,
    private readonly dataSource: DataSource | undefined,
    private readonly mark: SessionMark | undefined,
  ) {
    super();
  }

  /** @param started gets the error when a consumer could never run, or the bus cannot be joined */
  override listen(started: (error?: unknown) => void): void {
    this.join().then(() => started(), started);
  }

  /** Leaves the group; the bus itself belongs to its opener. Safe to call twice. */
  override async close(): Promise<void> {
    // first: the subscription waits for its batch, which may still be queued
    this.crashes?.refuse();
    await this.subscription?.stop();
    this.subscription = undefined;
    await this.crashes?.end();
    this.crashes = undefined;
  }

  /** The bus emits no events of the process. @throws Error always */
  override on(event: string): never {
    throw new Error(`the event bus has no event ${event}`);
  }

  /** @returns the EventBus */
  override unwrap<T = EventBus>(): T {
    return this.context.bus as T;
  }

  /** @throws Permanent in a service without a database */
  replay(wanted: {
    consumer?: string;
    ids?: readonly string[];
  }): Promise<{ replayed: number; failed: number }> {
    return this.started().replay(wanted);
  }

  /** Hands events to their consumers in one transaction, as the bus would, without retries: for tests. */
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

  /**
   * Joins the group once everything that the consumers need is ready. A service without consumers joins none.
   */
  private async join(): Promise<void> {
    const { dataSource, context, service, mark } = this;
    const consumers = checkConsumers(service, this.messageHandlers).map(toEntry);
    if (!dataSource) {
      if (consumers.length > 0)
        throw new Error(`${service} has consumers, but no database for their effects`);
      return;
    }
    const { logger } = context;
    const observer = observeEvents(context, service);
    const tracer = context.tracing.of(service);
    const crashes = mark && consumers.length > 0 ? new CrashWatch({ dataSource, mark, logger }) : undefined;
    const about = { service, dataSource, consumers, logger };
    this.consumption = new EventConsumption({ ...about, observer, tracer, crashes });
    const streams = this.consumption.streams();
    if (streams.length === 0) return;
    await retryTransient(async () => crashes?.begin(), { what: 'runs of consumers', logger });
    this.crashes = crashes;
    const handle = this.consumption.handle.bind(this.consumption);
    const { positions } = this.consumption;
    const handles = this.consumption.handles();
    this.subscription = await context.bus.subscribe({ group: service, streams, handles, positions, handle });
  }

  private started(): EventConsumption {
    if (!this.consumption) throw new Permanent(`${this.service} consumes nothing`);
    return this.consumption;
  }
}

/** An observable exists only where a consumer is wrapped: by the filter of an error, or by an interceptor. */
function toEntry({ name, event, handler }: BoundConsumer): ConsumerEntry {
  return {
    name,
    event,
    handle: async (tx, events) => {
      const context = new EventContext([tx]);
      const handled: unknown = await handler(events, context);
      if (isObservable(handled)) await lastValueFrom(handled, { defaultValue: undefined });
      return context.afterCommitCalls;
    },
  };
}

/** Counts the outcomes of the events that a service consumes. */
function observeEvents({ metrics }: HostContext, service: string): ConsumptionObserver {
  const handled = metrics.counter('postmesh_events_handled_total', 'Events handled', ['service', 'pattern']);
  const ignored = metrics.counter('postmesh_events_ignored_total', 'Events that no consumer knows', [
    'service',
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
    ignored: (events) => ignored.inc({ service }, events),
    died: (kind) => died.inc({ service, kind }),
    split: () => split.inc({ service }),
    redelivered: (kind) => redelivered.inc({ service, kind }),
  };
}
