import type { DataSource, EntityManager, EntitySubscriberInterface, QueryRunner } from 'typeorm';
import { STREAMS, type EventEnvelope, type Stream } from '@postmesh/contracts';
import { toEventText } from './event-text.js';
import type { EventLog, EventText, RunStatement } from './event-bus.port.js';
import { appendEvents } from './log/event-log.js';

/** Where the events of a transaction go. */
export interface OutboxSink {
  /**
   * Called once, as the last statement before the commit.
   * @param query runs in the transaction
   */
  write(query: RunStatement, events: readonly EventText[]): Promise<void>;
  /** Called after the commit. */
  committed(streams: ReadonlySet<Stream>): void;
}

const PENDING = 'postmesh.outbox';

interface Pending {
  events: EventText[];
  /** how many events there were at the start of the transaction and of each savepoint in it */
  starts: number[];
}

const pendingOf = (runner: QueryRunner | undefined): Pending | undefined =>
  runner?.data[PENDING] as Pending | undefined;

/**
 * The only way an event leaves a service (architecture §3.3): it is written in the transaction of the change that it
 * reports, as its last statement. Where the log of the bus is in the same database the event is written directly to
 * it; otherwise to the log of the service, from which the relay publishes it.
 */
export class Outbox {
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
    pending.events.push(...list.map((event) => ({ stream: event.stream, text: toEventText(event) })));
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

// The relay of the previous release holds it while it publishes the rows of `outbox`.
const OLD_RELAY_LOCK = 727_002;
const LEFT_ROWS = 500;

const LEFT_IN_OUTBOX = `with gone as (
    delete from outbox where id = any(array(select id from outbox order by id limit ${LEFT_ROWS}))
    returning id, stream, envelope
  )
  select stream, envelope as text from gone order by id`;

// Events that the previous release had published and not all readers had handled: a row has a batch of its relay.
const LEFT_IN_KEPT = `with gone as (
    delete from kept_events where ctid = any(array(
      select ctid from kept_events order by published_at, id limit 1 for update skip locked))
    returning stream, envelopes
  )
  select stream, line.envelope as text
  from gone, string_to_table(envelopes, E'\\n') with ordinality as line(envelope, nth) order by nth`;

const LEFT_IN_LOG = `with waiting as (
    select l.stream, l.position from unnest('{${STREAMS.join()}}'::text[]) as s(stream)
      left join groups g on g.stream = s.stream and g.consumer_group = current_schema() || '.relay'
      cross join lateral (
        select stream, position from log where stream = s.stream and position > coalesce(g.position, 0)
        order by position limit ${LEFT_ROWS}) l
  ), gone as (
    delete from log l using waiting w where l.stream = w.stream and l.position = w.position
    returning l.position, l.stream, l.envelope
  )
  select stream, envelope as text from gone order by position`;

/** For a service that appends to the log of the bus: events that a relay of it has not published before that. */
export const appendLeftovers = (dataSource: DataSource, log: EventLog): Promise<void> =>
  moveAll(dataSource, [LEFT_IN_OUTBOX, LEFT_IN_LOG], (query, events) => log.append(query, events, true));

/** For a service with a relay: events that the previous release has left, once its relays are gone. */
export const appendOldOutbox = (dataSource: DataSource, schema: string): Promise<void> =>
  moveAll(dataSource, [LEFT_IN_KEPT, LEFT_IN_OUTBOX], (query, events) =>
    appendEvents(query, schema, events, true),
  );

async function moveAll(
  dataSource: DataSource,
  sources: readonly string[],
  append: (query: RunStatement, events: readonly EventText[]) => Promise<void>,
): Promise<void> {
  for (const source of sources) {
    for (let count = 1; count > 0;) {
      count = await dataSource.transaction(async (tx) => {
        const locked = 'select pg_try_advisory_xact_lock($1, hashtext(current_schema())) as mine';
        const [{ mine }]: [{ mine: boolean }] = await tx.query(locked, [OLD_RELAY_LOCK]);
        const events: EventText[] = mine ? await tx.query(source) : [];
        // its relay may have published them before it died
        if (events.length > 0) await append((text, values) => tx.query(text, values), events);
        return events.length;
      });
    }
  }
}

/**
 * The events of a service that its relay has not published yet.
 * @param most more are not counted
 * @returns their number, and how long the oldest of them has waited in seconds; 0 when none waits
 */
export async function unpublished(
  dataSource: DataSource,
  most: number,
): Promise<{ count: number; seconds: number }> {
  const [row]: { count: number; seconds: number }[] = await dataSource.query(UNPUBLISHED, [most]);
  return row ?? { count: 0, seconds: 0 };
}

const UNPUBLISHED = `
  select count(*)::int as count, coalesce(extract(epoch from now() - min(written_at)), 0)::float8 as seconds
  from (
    select l.written_at from groups g cross join lateral (
      select written_at from log where stream = g.stream and position > g.position order by position limit $1) l
    where g.consumer_group = current_schema() || '.relay' limit $1) as waiting`;
