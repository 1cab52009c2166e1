import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { EventEnvelope, failureKind, type Stream } from '@postmesh/contracts';
import { isObservable, lastValueFrom } from 'rxjs';
import { z } from 'zod';
import { silentLogger, type BusLogger } from '../bus-logger.js';
import type { BuriedEvent } from '../dead-letter.js';
import type { EventBus, ReceivedEvent, RunningSubscription } from '../event-bus.port.js';
import { BusContext } from './bus-context.js';
import type { BusObserver } from './bus-observer.js';
import { handleOrGiveUp } from './run-handling.js';
import { planRuns } from './runs.rules.js';

export interface BusTransportOptions {
  bus: EventBus;
  /** The service's name: its consumer group. */
  group: string;
  /** Streams that the service listens to. */
  streams: readonly Stream[];
  maxBatch?: number;
  logger?: BusLogger;
  observer?: BusObserver;
}

const WithId = z.object({ id: z.string().min(1).max(200) });
const WithPattern = z.object({ type: z.string().max(200), version: z.number().int() });

const patternOf = ({ type, version }: { type: string; version: number }): string => `${type}.v${version}`;

/**
 * Drives Nest's `@EventPattern('<type>.v<version>')` handlers from an event bus. A handler gets an array of envelopes
 * of that one pattern; what it throws decides by its kind (failure-policy.rules.ts): transient trouble has the driver
 * deliver the batch again, anything else buries the culprit and the rest goes on.
 */
export class BusTransportStrategy extends Server implements CustomTransportStrategy {
  /** What a handler throws is awaited and decided upon here: Nest need not log it as unobserved. */
  override readonly propagatesEventHandlerErrors = true;
  private subscription: RunningSubscription | undefined;
  private readonly log: BusLogger;

  constructor(private readonly options: BusTransportOptions) {
    super();
    this.log = options.logger ?? silentLogger;
  }

  /** @throws when a second handler claims a pattern, or one waits for requests: the bus has no answers */
  override addHandler(pattern: unknown, callback: MessageHandler, isEventHandler = false, extras = {}): void {
    const name = String(pattern);
    if (!isEventHandler)
      throw new Error(`${name}: the event bus carries events, not requests; use @EventPattern`);
    if (this.messageHandlers.has(name)) throw new Error(`${name}: a service has one handler for an event`);
    super.addHandler(name, callback, isEventHandler, extras);
  }

  /** Joins the group. A service that handles nothing joins none. */
  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      const { bus, group, streams, maxBatch } = this.options;
      if (this.messageHandlers.size > 0) {
        const handle = (events: readonly ReceivedEvent[]) => this.handleBatch(events);
        this.subscription = await bus.subscribe({ group, streams, maxBatch, handle });
      }
      callback();
    } catch (error) {
      callback(error);
    }
  }

  ready(): boolean {
    return this.subscription?.ready() ?? this.messageHandlers.size === 0;
  }

  /** Leaves the group; the bus itself belongs to whoever opened it. */
  async close(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
  }

  override on(): never {
    throw new Error('the event bus has no transport events; ask ready()');
  }

  override unwrap<T>(): T {
    return this.options.bus as T;
  }

  /** One batch from the driver, of all streams and patterns mixed. Public for drivers' tests. */
  async handleBatch(received: readonly ReceivedEvent[]): Promise<void> {
    try {
      const { events, dead } = this.parse(received);
      for (const run of planRuns(this.known(events), (event) => ({
        pattern: patternOf(event),
        key: orderOf(event),
      }))) {
        dead.push(...(await this.handleRun(run.pattern, run.events)));
      }
      await this.bury(dead);
    } catch (error) {
      this.options.observer?.redelivered?.(failureKind(error));
      throw error;
    }
  }

  private parse(received: readonly ReceivedEvent[]): { events: EventEnvelope[]; dead: BuriedEvent[] } {
    const events: EventEnvelope[] = [];
    const dead: BuriedEvent[] = [];
    for (const one of received) {
      const envelope = EventEnvelope.safeParse(one.event);
      if (envelope.success) events.push(envelope.data as EventEnvelope);
      else dead.push(this.unreadable(one, z.prettifyError(envelope.error)));
    }
    return { events, dead };
  }

  private unreadable({ stream, at, event }: ReceivedEvent, reason: string): BuriedEvent {
    const pattern = WithPattern.safeParse(event);
    return {
      id: WithId.safeParse(event).data?.id ?? at,
      stream,
      group: this.options.group,
      pattern: pattern.success ? patternOf(pattern.data) : null,
      kind: 'poison',
      reason: `no event envelope: ${reason}`.slice(0, 500),
      event,
    };
  }

  private known(events: readonly EventEnvelope[]): EventEnvelope[] {
    const ignored = new Map<string, number>();
    const known = events.filter((event) => {
      const pattern = patternOf(event);
      if (this.messageHandlers.has(pattern)) return true;
      ignored.set(pattern, (ignored.get(pattern) ?? 0) + 1);
      return false;
    });
    for (const [pattern, count] of ignored) this.options.observer?.ignored?.(pattern, count);
    return known;
  }

  private async handleRun(pattern: string, events: readonly EventEnvelope[]): Promise<BuriedEvent[]> {
    const { group, observer } = this.options;
    const begun = performance.now();
    const givenUp = await handleOrGiveUp(events, (some) => this.call(pattern, some));
    const tookMs = Math.round(performance.now() - begun);
    observer?.handled?.(pattern, events.length - givenUp.length, tookMs);
    this.log.debug(
      { group, pattern, events: events.length, buried: givenUp.length, took_ms: tookMs },
      'events handled',
    );
    return givenUp.map(({ event, kind, reason }) => ({
      id: event.id,
      stream: event.stream,
      group,
      pattern,
      kind,
      reason,
      event,
    }));
  }

  private async call(pattern: string, events: readonly EventEnvelope[]): Promise<void> {
    const handler = this.messageHandlers.get(pattern);
    const result: unknown = await handler?.(events, new BusContext([this.options.group, pattern]));
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  }

  /** Buried events are durable before the batch counts as done. */
  private async bury(dead: readonly BuriedEvent[]): Promise<void> {
    if (dead.length === 0) return;
    await this.options.bus.bury(dead);
    for (const { id, stream, group, pattern, kind, reason } of dead) {
      this.options.observer?.buried?.(pattern, kind);
      this.log.error(
        { event_id: id, stream, group, pattern, kind, reason },
        'event given up: it is a dead letter now',
      );
    }
  }
}

/** Keys are per stream: the same id on two streams is two orders. */
const orderOf = ({ stream, key }: EventEnvelope): string => `${stream} ${key}`;
