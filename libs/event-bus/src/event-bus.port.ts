import type { EventEnvelope, Stream } from '@postmesh/contracts';
import type { BuriedEvent, DeadLetter } from './dead-letter.js';

/**
 * Facts between services: at least once, in order per key. What every driver must keep is said by the suite in
 * `conformance/`. What a failure means (retry, isolate, bury) is no driver's business: see `nest/`.
 */
export interface EventBus {
  /**
   * Resolves when every event is durable. Order per key is kept between calls that are awaited one after another;
   * a call that rejects may have published a part, so the caller publishes the same events again.
   * @throws Permanent when an event is larger than MAX_EVENT_BYTES; any other error is worth another try
   */
  publish(events: readonly EventEnvelope[]): Promise<void>;
  /** Adds one member to a group. Resolves when the member has joined; a new group starts at the earliest event. */
  subscribe(subscription: Subscription): Promise<RunningSubscription>;
  /** Makes events dead letters of their group; the same id twice is one letter. Resolves when durable. */
  bury(events: readonly BuriedEvent[]): Promise<void>;
  /** Dead letters of a group on a stream, oldest first. */
  readDead(query: DeadLetterQuery & { limit: number }): Promise<DeadLetter[]>;
  /**
   * Publishes dead letters again on their stream and removes them from the dead letters. Every group of the stream
   * gets them; those that have handled them know their ids.
   * @returns how many were published; at most REPLAY_AT_ONCE in one call
   */
  replayDead(query: DeadLetterQuery & { ids?: readonly string[] }): Promise<number>;
  /** How many events each group has still to handle, for operators. */
  lag(): Promise<GroupLag[]>;
  /** False while the store cannot be reached or a subscription is not running. */
  ready(): boolean;
  /** Lets running batches end, commits them, leaves the groups, closes the connections. Safe to call twice. */
  close(): Promise<void>;
}

export interface Subscription {
  /** The service's name. Members of one group share its events; each group gets all of them. */
  group: string;
  streams: readonly Stream[];
  /** Most events in one call of `handle`; 500 when left out. */
  maxBatch?: number;
  /**
   * Gets events in order per key, one call at a time. Resolving says that all are done: the driver commits.
   * Rejecting has the driver deliver the batch again, for ever, with a growing pause (see backoff.rules.ts).
   */
  handle(events: readonly ReceivedEvent[]): Promise<void>;
}

export interface ReceivedEvent {
  stream: Stream;
  /** Where the record stands: `<stream>/<partition>/<position>`. */
  at: string;
  /** The decoded record, unproven: the receiver parses it. The stored text where it is no JSON. */
  event: unknown;
}

export interface RunningSubscription {
  /** True while this member takes part in its group. */
  ready(): boolean;
  /** Partitions this member holds now, as `<stream>/<partition>`. */
  holds(): string[];
  /** Lets the running batch end, commits it and leaves the group. Safe to call twice. */
  stop(): Promise<void>;
}

export interface DeadLetterQuery {
  stream: Stream;
  group: string;
}

export interface GroupLag {
  group: string;
  stream: Stream;
  behind: number;
}

export const DEFAULT_BATCH = 500;

/** Kafka's brokers refuse records of 1 MiB by default; the rest is room for headers. */
export const MAX_EVENT_BYTES = 900_000;

/** Bounds the memory of one replay; an operator calls again for more. */
export const REPLAY_AT_ONCE = 10_000;
