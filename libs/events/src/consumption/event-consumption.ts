import { setTimeout as pause } from 'node:timers/promises';
import { failureKind, type EventEnvelope, type FailureKind, type Stream } from '@postmesh/contracts';
import { NO_TRACING, type Logger, type Tracer } from '@postmesh/observability';
import type { DataSource, EntityManager } from 'typeorm';
import {
  listDeadLetters,
  renewDeadLetter,
  takeDeadLetters,
  writeDeadLetters,
  type DeadLetter,
} from '../dead-letters.js';
import { Inbox } from '../inbox.js';
import { LogPositions } from '../positions.js';
import {
  batchEntry,
  failureOf,
  type AfterCommit,
  type BatchEntry,
  type ConsumerEntry,
  type EventFailure,
} from './batch-entries.js';
import { BatchSize } from './batch-size.js';
import type { CrashWatch } from './crash-watch.js';
import { afterFailure, consumptionFailure } from './failure-policy.rules.js';
import { planRuns } from './runs.rules.js';
import type { ReceivedEvent } from '../event-bus.port.js';

/** The counters of a service; every part may be left out. */
export interface ConsumptionObserver {
  handled?(pattern: string, events: number, tookMs: number): void;
  /** Events without a consumer: another service's business, or a version that this one does not know yet. */
  ignored?(events: number): void;
  died?(kind: FailureKind): void;
  redelivered?(kind: FailureKind): void;
  /** A batch that took too long is tried by halves. */
  split?(events: number): void;
}

export interface ConsumptionOptions {
  service: string;
  dataSource: DataSource;
  consumers: readonly ConsumerEntry[];
  logger: Logger;
  observer?: ConsumptionObserver;
  /** none: nothing is traced */
  tracer?: Tracer;
  /** none: an event that brings the process down comes again and again */
  crashes?: CrashWatch;
  /** between two tries in place, ms; default: that long */
  pause?: (ms: number) => Promise<unknown>;
}

// Bounds one transaction of a replay.
const REPLAY_BATCH = 200;

/**
 * Runs the consumers of one service. A batch is one transaction: events that were handled before are left out (by the
 * position in the log of the bus, else by the inbox), the others are cut into runs of one consumer each, and effects,
 * positions, inbox and dead letters commit together. The kind of a consumer's error decides
 * (failure-policy.rules.ts): after a transient one the bus delivers the batch again; any other is narrowed down to
 * the event at fault, which becomes a dead letter, and the rest is handled.
 */
export class EventConsumption {
  private readonly byPattern: ReadonlyMap<string, ConsumerEntry>;
  private readonly inbox = new Inbox();
  private readonly size = new BatchSize();
  private readonly tracer: Tracer;
  /** for the bus, where it has a log: it reads on from these */
  readonly positions: LogPositions;

  constructor(private readonly options: ConsumptionOptions) {
    this.tracer = options.tracer ?? NO_TRACING.of(options.service);
    this.positions = new LogPositions(options.dataSource);
    this.byPattern = new Map(options.consumers.map((consumer) => [consumer.event.pattern, consumer]));
  }

  /** Streams that the consumers need, each once. */
  streams(): Stream[] {
    return [...new Set(this.options.consumers.map(({ event }) => event.stream))];
  }

  /** The events of its consumers. */
  handles(): Pick<EventEnvelope, 'type' | 'version'>[] {
    return this.options.consumers.map(({ event: { type, version } }) => ({ type, version }));
  }

  /**
   * One batch of the bus, of all streams and events mixed.
   * @throws an error that requires redelivery; parts of the batch may be committed then, and are left out the next
   * time
   */
  async handle(received: readonly ReceivedEvent[]): Promise<void> {
    const { crashes, observer } = this.options;
    try {
      if (crashes) await crashes.handle(received, (some, setAside) => this.handleTogether(some, setAside));
      else await this.handleTogether(received);
    } catch (error) {
      observer?.redelivered?.(failureKind(error));
      throw error;
    }
  }

  private async handleTogether(received: readonly ReceivedEvent[], setAside?: EventFailure): Promise<void> {
    const entries = received.map((one) => batchEntry(one, this.byPattern, setAside));
    this.countIgnored(received, entries);
    if (entries.some(isWanted)) await this.commitInSlices(entries);
    else await this.positions.skip(entries);
  }

  private async commitInSlices(entries: readonly BatchEntry[]): Promise<void> {
    for (let left = entries; left.length > 0;) {
      const { slice, rest } = this.size.next(left);
      await commitOrGiveUp(
        slice,
        this.handled((some) => this.commit(some)),
      );
      this.size.succeeded();
      left = rest;
    }
  }

  private handled<E>(commit: Attempt<E>['commit']): Attempt<E> {
    const { observer, logger, service } = this.options;
    return {
      commit,
      pause: this.options.pause ?? pause,
      split: (error, events) => {
        this.size.tookTooLong(events);
        observer?.split?.(events);
        logger.warn(
          { event: 'batch.split', service, events, err: error },
          'a batch took too long: it is handled by halves',
        );
      },
    };
  }

  /** One transaction, no second try: for tests. @throws what the consumer throws; Poison for what cannot be parsed */
  async deliver(received: readonly ReceivedEvent[]): Promise<void> {
    const entries = received.map((one) => batchEntry(one, this.byPattern));
    const failed = entries.find((entry) => entry.failure ?? !entry.consumer);
    if (failed) throw new Error(failed.failure?.reason ?? `no consumer of ${failed.pattern}`);
    await this.commit(entries);
  }

  /**
   * Has their own consumer alone handle dead letters again, and removes those that succeed. A dead letter that fails
   * again stays, with its latest reason.
   * @throws a transient error: try again later
   */
  async replay(wanted: {
    consumer?: string;
    ids?: readonly string[];
  }): Promise<{ replayed: number; failed: number }> {
    const count = { replayed: 0, failed: 0 };
    for (let after: string | undefined; ;) {
      const deadLetters = await listDeadLetters(this.options.dataSource, {
        ...wanted,
        after,
        limit: REPLAY_BATCH,
      });
      if (deadLetters.length === 0) return count;
      after = deadLetters.at(-1)?.id;
      const entries = deadLetters.map((deadLetter) => ({
        ...this.entryOf(deadLetter),
        deadLetterId: deadLetter.id,
      }));
      const replay = async (some: typeof entries): Promise<void> => {
        const { replayed, failed } = await this.commitReplay(some);
        count.replayed += replayed;
        count.failed += failed;
      };
      await commitOrGiveUp(entries, this.handled(replay));
    }
  }

  private entryOf({ consumer, stream, eventId, envelope }: DeadLetter): BatchEntry {
    const entry = batchEntry({ stream, at: eventId, text: envelope, mayRepeat: false }, this.byPattern);
    const isOwn = entry.consumer?.name === consumer || consumer === this.options.service;
    if (entry.failure ?? (entry.consumer && isOwn)) return entry;
    return {
      ...entry,
      failure: { kind: 'permanent', reason: `there is no consumer ${consumer} for ${entry.pattern}` },
    };
  }

  private async commit(entries: readonly BatchEntry[]): Promise<void> {
    const { dead, handled } = await this.inTransaction(async (tx) => {
      // together with the first statements of the consumers
      const moving = this.positions.move(tx, entries);
      const [, effects] = await Promise.allSettled([moving, this.effects(tx, entries)]);
      // first: where another process has handled the events meanwhile, what failed behind that is no fault of theirs
      await moving;
      if (effects.status === 'rejected') throw effects.reason;
      return effects.value;
    });
    this.report(dead);
    this.countHandled(handled);
  }

  private async effects(tx: EntityManager, entries: readonly BatchEntry[]): Promise<Effects> {
    const fresh = await this.inbox.admitEntries(tx, entries);
    const dead = fresh.filter(({ failure }) => failure);
    await writeDeadLetters(tx, this.options.service, dead);
    return { dead, ...(await this.run(tx, fresh)) };
  }

  private async commitReplay(
    entries: readonly (BatchEntry & { deadLetterId: string })[],
  ): Promise<{ replayed: number; failed: number }> {
    const sound = entries.filter(({ failure }) => !failure);
    return this.inTransaction(async (tx) => {
      for (const { deadLetterId, failure } of entries)
        if (failure) await renewDeadLetter(tx, deadLetterId, failure);
      const taken = await takeDeadLetters(
        tx,
        sound.map(({ deadLetterId }) => deadLetterId),
      );
      const { after } = await this.run(
        tx,
        sound.filter(({ deadLetterId }) => taken.has(deadLetterId)),
      );
      return { after, replayed: taken.size, failed: entries.length - sound.length };
    });
  }

  /** The effects of the sound entries, run by run: the order of a key is kept. */
  private async run(tx: EntityManager, entries: readonly BatchEntry[]): Promise<Omit<Effects, 'dead'>> {
    const after: AfterCommit[] = [];
    const handled: Handled[] = [];
    const sound = entries.flatMap(({ consumer, event }) => (consumer && event ? [{ consumer, event }] : []));
    const runs = planRuns(sound, ({ consumer, event }) => ({
      pattern: consumer.event.pattern,
      // keys are per stream: the same id on two streams is two orders
      key: `${event.stream} ${event.key}`,
    }));
    for (const { pattern, events } of runs) {
      const begun = performance.now();
      const calls = await this.handleRun(tx, events);
      if (calls) after.push(...calls);
      handled.push({ pattern, events: events.length, tookMs: Math.round(performance.now() - begun) });
    }
    return { after, handled };
  }

  /** The work that a traced event causes is a child of this service's span. */
  private async handleRun(
    tx: EntityManager,
    run: readonly SoundEntry[],
  ): Promise<readonly AfterCommit[] | void> {
    const [first] = run;
    if (!first) return undefined;
    const { consumer } = first;
    const given = run.map(({ event }) => event);
    if (given.every(({ trace }) => trace === null)) return consumer.handle(tx, given);
    const spans = given.map(({ trace }) => this.tracer.follow(trace, consumer.name, 'consumer'));
    const events = given.map((event, nth) => ({ ...event, trace: spans[nth]?.traceparent ?? event.trace }));
    const begun = Date.now();
    try {
      const calls = await consumer.handle(tx, events);
      spans.forEach((span, nth) =>
        span?.end({
          'postmesh.event': consumer.event.pattern,
          'postmesh.waited_ms': ageAt(begun, given[nth]),
        }),
      );
      return calls;
    } catch (error) {
      spans.forEach((span) => span?.fail(error));
      throw error;
    }
  }

  private async inTransaction<T extends { after: readonly AfterCommit[] }>(
    work: (tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    const result = await this.options.dataSource.transaction(async (tx) => {
      const done = await work(tx);
      await refuseAborted(tx);
      return done;
    });
    for (const call of result.after) this.callAfter(call);
    return result;
  }

  /** The effect is committed: what fails now must not have it done again. */
  private callAfter(call: AfterCommit): void {
    try {
      call();
    } catch (error) {
      this.options.logger.error(
        { event: 'consumer.after_commit_failed', err: error },
        'call after commit failed',
      );
    }
  }

  private countIgnored(received: readonly ReceivedEvent[], entries: readonly BatchEntry[]): void {
    const passed = received.reduce((count, one) => count + (one.passed ?? 0), 0);
    const ignored = passed + entries.filter((one) => !isWanted(one) && one.pattern).length;
    if (ignored > 0) this.options.observer?.ignored?.(ignored);
  }

  private countHandled(handled: readonly Handled[]): void {
    for (const { pattern, events, tookMs } of handled)
      this.options.observer?.handled?.(pattern, events, tookMs);
  }

  private report(dead: readonly BatchEntry[]): void {
    for (const { consumer, eventId, stream, pattern, failure } of dead) {
      this.options.observer?.died?.(failure?.kind ?? 'bug');
      const about = { consumer: consumer?.name, event_id: eventId, stream, pattern, ...failure };
      if (failure?.crashes === undefined)
        this.options.logger.error({ event: 'event.died', ...about }, 'event became a dead letter');
      else
        this.options.logger.error(
          { event: 'event.set_aside', ...about },
          'event became a dead letter after crashes',
        );
    }
  }
}

/** On the way: from the event to its consumer. */
const ageAt = (now: number, event: EventEnvelope | undefined): number | undefined =>
  event && now - Date.parse(event.occurred_at);

interface SoundEntry {
  consumer: ConsumerEntry;
  event: EventEnvelope;
}

interface Effects {
  dead: BatchEntry[];
  after: AfterCommit[];
  handled: Handled[];
}

interface Handled {
  pattern: string;
  events: number;
  tookMs: number;
}

interface PgClient {
  readyForQuery?: boolean;
  getTransactionStatus?(): string | null;
}

/**
 * A consumer that swallows an error of the database leaves a transaction that PostgreSQL rolls back at its commit,
 * without an error: the events would count as handled. The client knows the state as soon as it is ready again; until
 * then, which is after an error only, a statement has to ask.
 */
async function refuseAborted(tx: EntityManager): Promise<void> {
  const client = (await tx.queryRunner?.connect()) as PgClient | undefined;
  if (!client?.readyForQuery) await tx.query('select');
  if (client?.getTransactionStatus?.() === 'E') {
    throw new Error('a consumer continued after a failed statement: its transaction is aborted');
  }
}

const isWanted = ({ consumer, failure }: BatchEntry): boolean =>
  consumer !== undefined || failure !== undefined;

interface Attempt<E> {
  /** one transaction */
  commit(entries: readonly E[]): Promise<void>;
  /** before the next try */
  pause(ms: number): Promise<unknown>;
  /** these were too much for one transaction */
  split(error: unknown, events: number): void;
}

/**
 * Commits the entries together; when that fails for a reason that lies in them, by halves, each a transaction of its
 * own, down to the ones that fail alone. Those are marked as failed and committed as that.
 * @throws an error that requires redelivery
 */
async function commitOrGiveUp<E extends BatchEntry>(
  entries: readonly E[],
  attempt: Attempt<E>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt.commit(entries);
    } catch (error) {
      const next = afterFailure(consumptionFailure(error, entries.length), tries);
      if (next === 'redeliver') throw error;
      if (next === 'isolate') return isolate(entries, error, attempt);
      if (next === 'halve') return halve(entries, error, attempt);
      await attempt.pause(next.retryInMs);
    }
  }
}

/** The first half first, so that events of one key keep their order. */
const halves = <E>(entries: readonly E[]): (readonly E[])[] => {
  const middle = Math.ceil(entries.length / 2);
  return [entries.slice(0, middle), entries.slice(middle)];
};

async function halve<E extends BatchEntry>(
  entries: readonly E[],
  error: unknown,
  attempt: Attempt<E>,
): Promise<void> {
  attempt.split(error, entries.length);
  for (const half of halves(entries)) await commitOrGiveUp(half, attempt);
}

async function isolate<E extends BatchEntry>(
  entries: readonly E[],
  error: unknown,
  attempt: Attempt<E>,
): Promise<void> {
  const [only, second] = entries;
  if (only !== undefined && second === undefined) return giveUp(only, error, attempt);
  for (const half of halves(entries)) {
    try {
      await attempt.commit(half);
    } catch (failure) {
      const what = consumptionFailure(failure, half.length);
      if (what === 'transient') throw failure;
      if (what === 'batch-too-long' || what === 'event-too-long') await commitOrGiveUp(half, attempt);
      else await isolate(half, failure, attempt);
    }
  }
}

async function giveUp<E extends BatchEntry>(entry: E, error: unknown, { commit }: Attempt<E>): Promise<void> {
  // a failed entry has no effect: what fails now is no fault of the event
  if (entry.failure) throw error;
  await commit([{ ...entry, event: undefined, failure: failureOf(error) }]);
}
