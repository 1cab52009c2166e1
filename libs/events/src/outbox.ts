import type { DataSource, EntityManager, EntitySubscriberInterface, QueryRunner } from 'typeorm';
import type { EventEnvelope, Stream } from '@postmesh/contracts';
import { toEventText } from './event-text.js';
import type { EventLog, EventText, RunStatement } from './event-bus.port.js';

/** An event that waits for the end of its transaction. */
interface PendingEvent extends EventText {
  key: string;
}

/** Where the events of a transaction go. */
export interface OutboxSink {
  /**
   * Called once, as the last statement before the commit.
   * @param query runs in the transaction
   */
  write(query: RunStatement, events: readonly PendingEvent[]): Promise<void>;
  /** Called after the commit. */
  committed(streams: ReadonlySet<Stream>): void;
}

const PENDING = 'postmesh.outbox';

interface Pending {
  events: PendingEvent[];
  /** how many events there were at the start of the transaction and of each savepoint in it */
  starts: number[];
}

const pendingOf = (runner: QueryRunner | undefined): Pending | undefined =>
  runner?.data[PENDING] as Pending | undefined;

/**
 * The only way an event leaves a service (architecture §3.3): it is written in the transaction of the change that it
 * reports, as its last statement. Where the log of the bus is in the same database the event is written directly to
 * it (`log`); otherwise to the table `outbox`, from which the relay publishes it.
 */
export class Outbox {
  constructor(readonly way: 'log' | 'relay' = 'relay') {}

  /**
   * @param manager the caller's transaction
   * @throws Error outside a transaction: the event could then be published without its change; Permanent for an
   * event that no bus takes: in the outbox it would hold up all others for ever
   */
  async add(manager: EntityManager, events: EventEnvelope | readonly EventEnvelope[]): Promise<void> {
    const list = Array.isArray(events) ? (events as readonly EventEnvelope[]) : [events as EventEnvelope];
    if (list.length === 0) return;
    const pending = pendingOf(manager.queryRunner);
    if (!pending || !manager.queryRunner?.isTransactionActive)
      throw new Error('outbox.add needs the transaction of the change');
    // all or none, should one of them be too large
    pending.events.push(
      ...list.map((event) => ({ stream: event.stream, key: event.key, text: toEventText(event) })),
    );
  }
}

/**
 * Every transaction of the data source then writes its events before its commit. Events that were added inside a
 * savepoint are dropped when it is rolled back, as its changes are.
 */
export function attachOutbox(dataSource: DataSource, sink: OutboxSink): void {
  const hook: EntitySubscriberInterface = {
    afterTransactionStart: ({ queryRunner }) => {
      const pending = pendingOf(queryRunner) ?? { events: [], starts: [] };
      pending.starts.push(pending.events.length);
      queryRunner.data[PENDING] = pending;
    },
    beforeTransactionCommit: async ({ queryRunner }) => {
      const pending = pendingOf(queryRunner);
      if (!pending || pending.starts.length > 1 || pending.events.length === 0) return;
      await sink.write((text, values) => queryRunner.query(text, values), pending.events);
    },
    afterTransactionCommit: ({ queryRunner }) => {
      const pending = pendingOf(queryRunner);
      pending?.starts.pop();
      if (!pending || pending.starts.length > 0) return;
      delete queryRunner.data[PENDING];
      if (pending.events.length > 0) sink.committed(new Set(pending.events.map(({ stream }) => stream)));
    },
    afterTransactionRollback: ({ queryRunner }) => {
      const pending = pendingOf(queryRunner);
      const start = pending?.starts.pop() ?? 0;
      pending?.events.splice(start);
      if (pending?.starts.length === 0) delete queryRunner.data[PENDING];
    },
  };
  dataSource.subscribers.push(hook);
}

/** Events of this data source go straight into the log of the bus, which is in the same database. */
export function logSink(log: EventLog): OutboxSink {
  return {
    write: (query, events) => log.append(query, events),
    committed: (streams) => log.announce(streams),
  };
}

const LEFT = `with gone as (
    delete from outbox where id = any(array(select id from outbox order by id limit 500)) returning id, stream, envelope
  )
  select stream, envelope as text from gone order by id`;

/** Appends what a relay has left behind: before a switch to the log the events went through the table. */
export async function appendLeftovers(dataSource: DataSource, log: EventLog): Promise<void> {
  for (let count = 1; count > 0;) {
    count = await dataSource.transaction(async (tx) => {
      const events: EventText[] = await tx.query(LEFT);
      // the relay may have published them before it died
      if (events.length > 0) await log.append((text, values) => tx.query(text, values), events, true);
      return events.length;
    });
  }
}
