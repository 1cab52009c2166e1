import type { EventEnvelope, Stream } from '@postmesh/contracts';

/**
 * Facts between services: at least once, in order per key. What every driver must keep is said by the suite in
 * `conformance/`. What a failure means (retry, isolate, dead letter) is no driver's business: see `libs/outbox`.
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

export interface GroupLag {
  group: string;
  stream: Stream;
  behind: number;
}

export const DEFAULT_BATCH = 500;

/** Kafka's brokers refuse records of 1 MiB by default; the rest is room for headers. */
export const MAX_EVENT_BYTES = 900_000;
