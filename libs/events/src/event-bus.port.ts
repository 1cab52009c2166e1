import type { EventEnvelope, Stream } from '@postmesh/contracts';

/**
 * Events between services: at least once, in order per key. The suite in `conformance/` defines the duties of a driver.
 * The treatment of a failure (retry, isolate, dead letter) is not a driver's task: see `libs/events`.
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
  /**
   * How many events each group has still to handle, for operators. A stream that only another release has is among them while
   * something waits in it: no process of this release reads it.
   */
  lag(): Promise<GroupLag[]>;
  /** False while the store cannot be reached or a subscription is not running. */
  ready(): boolean;
  /** Lets running batches end, commits them, leaves the groups, closes the connections. Safe to call twice. */
  close(): Promise<void>;
  /** The log that transactions of its database may append to; undefined where only `publish` leads onto the bus. */
  readonly log?: EventLog;
  /** Where a stream can be lost with what was published in it; undefined where it is as safe as rows. */
  readonly marks?: StreamMarks;
}

/** A mark is put onto a stream by one of its publishers, and is gone when the stream is: a new one of its name has none. */
export interface StreamMarks {
  /**
   * @returns the last mark of this publisher; undefined where it has none
   * @throws Transient when the store does not answer, or has no such stream at the moment
   */
  read(publisher: string, stream: Stream): Promise<number | undefined>;
  /**
   * Takes some seconds.
   * @param mark a whole number that is not negative
   * @throws Transient when it may not be there
   */
  write(publisher: string, stream: Stream, mark: number): Promise<void>;
}

export interface Subscription {
  /** The service's name. Members of one group share its events; each group gets all of them. */
  group: string;
  streams: readonly Stream[];
  /** Most events in one call of `handle`; 500 when left out. */
  maxBatch?: number;
  /** The events that it handles; a driver may leave out others, or their data. All when left out. */
  handles?: readonly Pick<EventEnvelope, 'type' | 'version'>[];
  /** For a subscriber that moves its positions in the transactions of its effects; left out, the bus keeps them. */
  positions?: PositionKeeper;
  /**
   * Gets events in order per key, one call at a time. Resolving confirms them all: the driver commits. After a
   * rejection the driver delivers the batch again, for ever, with a growing pause (see redelivery.ts).
   */
  handle(events: readonly ReceivedEvent[]): Promise<void>;
}

export interface ReceivedEvent {
  stream: Stream;
  /** The place of the record: `<stream>/<position>`, with Kafka `<stream>/<partition>/<position>`. */
  at: string;
  /** The record as it is stored, unproven: the receiver parses it. */
  text: string;
  /** The same event may be on the bus twice: it came through a relay, or the bus itself delivers twice. */
  mayRepeat: boolean;
  /** Set by a bus with a log: the subscriber moves its position from `after` to `position` with the effect. */
  place?: LogPlace;
  /** At the last event of a stream: how many that the group does not handle were left out before it; none: 0. */
  passed?: number;
}

export interface LogPlace {
  /** the id of the log */
  log: string;
  /** the position before this one in the group's reading of the stream */
  after: number;
  position: number;
}

/** Positions of a group that are kept by its subscriber: up to them everything is handled. */
export interface PositionKeeper {
  /** @returns the position in each stream; 0 where nothing of this log was handled */
  load(log: string, streams: readonly Stream[]): Promise<ReadonlyMap<Stream, number>>;
  /** The log ends before these positions (it was restored from a backup): they are set back to its end. */
  rewind(log: string, streams: readonly Stream[], end: number): Promise<void>;
}

export interface RunningSubscription {
  /** True while this member takes part in its group, be it that it waits for its turn. */
  ready(): boolean;
  /** The current assignment of this member: `<stream>/<partition>`, or `<stream>` where members take turns. */
  holds(): string[];
  /** Lets the running batch end, commits it and leaves the group. Safe to call twice. */
  stop(): Promise<void>;
}

export interface GroupLag {
  group: string;
  /** one of `STREAMS`, or the name of one of another release */
  stream: string;
  behind: number;
}

/** An event as it is stored, ready to be appended. */
export interface EventText {
  stream: Stream;
  text: string;
}

/** A log in a database: an event that is appended in a transaction is published by its commit. */
export interface EventLog {
  /** identifies a log: its positions are meaningless in another */
  readonly id: string;
  /** of its database, as it was given */
  readonly url: string;
  /**
   * To be the last statement before the commit: it holds a lock of each stream until then.
   * @param query runs a statement in the transaction of the change
   * @param mayRepeat whether the same events may be in the log already
   */
  append(query: RunStatement, events: readonly EventText[], mayRepeat?: boolean): Promise<void>;
  /** To be called after the commit: wakes the readers of these streams. */
  announce(streams: Iterable<Stream>): void;
}

export type RunStatement = (text: string, values: unknown[]) => Promise<unknown>;

/** The part of pino that the bus needs; a service hands in its own child logger. */
export interface BusLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = (): void => undefined;

/** For callers that want no log at all. */
export const silentLogger: BusLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export const DEFAULT_BATCH = 500;

/** Kafka's brokers refuse records of 1 MiB by default; the rest is room for headers. */
export const MAX_EVENT_BYTES = 900_000;
