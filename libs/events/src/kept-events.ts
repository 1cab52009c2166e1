import { inBatches, pause } from '@postmesh/concurrency';
import { CONSUMERS_OF, STREAMS, type ServiceName, type Stream } from '@postmesh/contracts';
import { changedRows } from '@postmesh/database';
import type { Logger, Metrics } from '@postmesh/observability';
import type { DataSource } from 'typeorm';
import type { EventBus, StreamMarks } from './event-bus.port.js';

export interface KeptEventsOptions {
  /** that publishes them */
  service: ServiceName;
  bus: Pick<EventBus, 'hasHandled' | 'ready'>;
  marks: StreamMarks;
  dataSource: DataSource;
  logger: Logger;
  metrics: Metrics;
  /** between the loss of a stream and its events; default 30 s */
  graceMs?: number;
  /** younger events are not checked: their consumers cannot have them yet; default 15 s */
  onItsWayMs?: number;
}

/**
 * A member that was busy while a stream was lost may still commit an offset of the old one, and so skip events of the
 * new one up to it. Events that are published during this time are republished.
 */
const GRACE_MS = 30_000;
const ON_ITS_WAY_MS = 15_000;
// Between two publishers of one stream; a group must have handled this much more than the position in question.
const CLOCKS_DIFFER_MS = 10_000;
const MAX_QUESTIONS = 6;
// A reader that is down for longer than this may miss events of a lost stream.
const KEPT_DAYS = 3;
const MAX_EVENTS = 5_000_000;
const FRONT = 1_000;
// Batches of the relay, 500 events each at most.
const PIECE = 10;
const OUTBOX_ROOM = 5_000;
const ROOM_MS = 250;

/** As PostgreSQL gives them: a bigint is a text. */
interface KnownStream {
  stream: Stream;
  mark: string | null;
  missing_since: Date | null;
  republish_until: Date | null;
  oldest: Date;
}

/**
 * The events that a lost stream held (decision 73). The relay retains each event that it publishes; it is deleted
 * once all readers of its stream have handled it, and republished when the mark of the stream shows another stream.
 * It keeps its id: a reader that has handled the event leaves it out.
 */
export class KeptEvents {
  private readonly republished;
  private readonly dropped;

  constructor(private readonly options: KeptEventsOptions) {
    const { metrics } = options;
    const labels = ['service', 'stream'] as const;
    this.republished = metrics.counter(
      'postmesh_events_republished_total',
      'Events published again because their stream was lost',
      labels,
    );
    this.dropped = metrics.counter(
      'postmesh_events_kept_dropped_total',
      'Published events that are kept no longer although a reader has not handled them',
      labels,
    );
  }

  /** Several processes may do so at once. @throws Transient when the bus does not answer */
  async look(signal: AbortSignal): Promise<void> {
    if (!this.options.bus.ready()) return;
    const known: KnownStream[] = await this.options.dataSource.query(KNOWN, [STREAMS]);
    for (const one of known) if (!signal.aborted) await this.lookAt(one, signal);
  }

  private async lookAt(known: KnownStream, signal: AbortSignal): Promise<void> {
    const { stream, mark, republish_until: republishUntil } = known;
    await this.drop(stream, signal);
    const handledUntil = await this.handledUntil(known);
    // read last: the handled positions are those of the stream with this mark
    const found = await this.options.marks.read(this.options.service, stream);
    if (mark === null) await this.markFirst(stream);
    else if (String(found) !== mark) await this.wasLost(known);
    else if (republishUntil) await this.republish(stream, republishUntil, signal);
    else if (handledUntil) await this.forget(stream, handledUntil, signal);
  }

  /** All readers have handled what was published until then. Further back, by halves, where one is behind. */
  private async handledUntil({ stream, oldest }: KnownStream): Promise<Date | undefined> {
    const { onItsWayMs = ON_ITS_WAY_MS } = this.options;
    let spanMs = Date.now() - onItsWayMs - oldest.getTime();
    for (let asked = 0; asked < MAX_QUESTIONS && spanMs >= 0; asked++) {
      const until = new Date(oldest.getTime() + spanMs);
      if (await this.isHandled(stream, new Date(until.getTime() + CLOCKS_DIFFER_MS))) return until;
      spanMs = Math.floor(spanMs / 2);
    }
    return undefined;
  }

  private async isHandled(stream: Stream, before: Date): Promise<boolean> {
    for (const group of CONSUMERS_OF[stream])
      if (!(await this.options.bus.hasHandled(group, stream, before))) return false;
    return true;
  }

  private async forget(stream: Stream, until: Date, signal: AbortSignal): Promise<void> {
    const forgetFront = () => changedRows(this.options.dataSource, FORGET, [stream, until]);
    await inBatches(forgetFront, { size: FRONT, signal });
  }

  /**
   * Whether a stream was lost before its first mark is unknown: it is treated as lost, once. Events that were
   * published before the end of the grace come a second time, and readers leave them out.
   */
  private async markFirst(stream: Stream): Promise<void> {
    await this.options.dataSource.query(
      'insert into stream_marks (stream, mark, missing_since) values ($1, $2, now()) on conflict do nothing',
      [stream, Date.now()],
    );
  }

  private async wasLost({ stream, mark, missing_since: missingSince }: KnownStream): Promise<void> {
    const { dataSource, logger, service, graceMs = GRACE_MS } = this.options;
    if (missingSince === null) {
      const line = { event: 'stream.lost', stream, publisher: service };
      logger.error(line, 'a stream is another one than before: what its readers had not handled follows');
    }
    const [rows]: [{ over: boolean }[]] = await dataSource.query(MISSING, [stream, graceMs / 1000]);
    if (!rows[0]?.over) return;
    // It is republished only behind the mark: should the new stream be lost, too, the mark is gone with it.
    await dataSource.query(REPUBLISH, [stream, await this.newMark(stream), mark]);
  }

  private async newMark(stream: Stream): Promise<number> {
    const mark = Date.now();
    await this.options.marks.write(this.options.service, stream, mark);
    return mark;
  }

  /** Through the outbox, and as fast as that gets empty. */
  private async republish(stream: Stream, until: Date, signal: AbortSignal): Promise<void> {
    const { dataSource, logger, service } = this.options;
    let count = 0;
    for (let moved = 1; moved > 0; count += moved) {
      await this.outboxHasRoom(signal);
      if (signal.aborted) return;
      const [row]: { moved: number }[] = await dataSource.query(MOVE, [stream, until]);
      moved = row?.moved ?? 0;
      this.republished.inc({ service, stream }, moved);
    }
    await dataSource.query(
      'update stream_marks set republish_until = null where stream = $1 and republish_until = $2',
      [stream, until],
    );
    const line = { event: 'stream.republished', stream, publisher: service, count };
    logger.warn(line, 'published again what readers of a stream may have missed');
  }

  private async outboxHasRoom(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.hasRoom())) await pause(ROOM_MS, signal);
  }

  private async hasRoom(): Promise<boolean> {
    const beyond: unknown[] = await this.options.dataSource.query(
      `select from outbox order by id offset ${OUTBOX_ROOM} limit 1`,
    );
    return beyond.length === 0;
  }

  private async drop(stream: Stream, signal: AbortSignal): Promise<void> {
    const { dataSource, logger, service } = this.options;
    let events = 0;
    const dropFront = async (): Promise<number> => {
      const [row]: { rows: number; events: number }[] = await dataSource.query(DROP, [stream]);
      events += row?.events ?? 0;
      return row?.rows ?? 0;
    };
    await inBatches(dropFront, { size: FRONT, signal });
    if (events === 0) return;
    this.dropped.inc({ service, stream }, events);
    const line = { event: 'stream.kept_no_longer', stream, publisher: service, count: events };
    logger.warn(line, 'a reader is so far behind that events for it are kept no longer');
  }
}

/** For the relay: moves published events from the outbox to the retained events. A row per stream. @see KeptEvents */
export const KEEP = `
  with gone as (delete from outbox where id = any($1::bigint[]) returning id, stream, envelope)
  insert into kept_events (stream, published_at, id, events, envelopes)
  select stream, $2, max(id), count(*), string_agg(envelope, E'\\n' order by id) from gone group by stream`;

// A stream of which nothing is kept has nothing to lose.
const KNOWN = `
  select known.stream, m.mark, m.missing_since, m.republish_until, k.published_at as oldest
  from unnest($1::text[]) as known(stream) left join stream_marks m using (stream)
  cross join lateral (
    select published_at from kept_events where stream = known.stream order by published_at limit 1) k`;

const FORGET = `
  delete from kept_events where ctid = any(array(
    select ctid from kept_events where stream = $1 and published_at <= $2 order by published_at, id limit ${FRONT}))`;

const MISSING = `
  update stream_marks set missing_since = coalesce(missing_since, now()) where stream = $1
  returning missing_since <= now() - make_interval(secs => $2) as over`;

const REPUBLISH = `
  update stream_marks set mark = $2, missing_since = null,
    republish_until = (select max(published_at) from kept_events where stream = $1)
  where stream = $1 and mark = $3`;

// Behind what is in the outbox now: readers that need another order than that of arrival have it in their rows.
const MOVE = `
  with gone as (
    delete from kept_events where ctid = any(array(
      select ctid from kept_events where stream = $1 and published_at <= $2
      order by published_at, id limit ${PIECE} for update skip locked))
    returning published_at, id, envelopes),
  moved as (
    insert into outbox (stream, key, envelope)
    select $1, envelope::json ->> 'key', envelope
    from gone, string_to_table(envelopes, E'\\n') with ordinality as line(envelope, nth)
    order by published_at, id, nth returning 1)
  select count(*)::int as moved from moved`;

const DROP = `
  with front as (
    select ctid, published_at, id from kept_events where stream = $1 order by published_at, id limit ${FRONT}),
  gone as (
    delete from kept_events where ctid = any(array(
      select ctid from front where published_at < now() - interval '${KEPT_DAYS} days' or id + ${MAX_EVENTS} < (
        select id from kept_events where stream = $1 order by published_at desc, id desc limit 1)))
    returning events)
  select count(*)::int as rows, coalesce(sum(events), 0)::int as events from gone`;
