import { STREAMS, type ServiceName, type Stream } from '@postmesh/contracts';
import type { Logger, Metrics } from '@postmesh/observability';
import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { DEFAULT_BATCH, type EventBus, type ReceivedEvent, type StreamMarks } from './event-bus.port.js';
import { readOwnEvents } from './event-text.js';
import { BatchLimits } from './log/batch-limits.js';
import { readEvents } from './log/event-log.js';
import { ownLog, relayOf } from './relay.js';

export interface LostStreamsOptions {
  /** that publishes them; its schema has the log */
  service: ServiceName;
  schema: string;
  bus: Pick<EventBus, 'publish'>;
  marks: StreamMarks;
  dataSource: DataSource;
  logger: Logger;
  metrics: Metrics;
  /** between the loss of a stream and its events; default 30 s */
  graceMs?: number;
}

/**
 * A member that was busy while a stream was lost may still commit an offset of the old one, and so skip events of the
 * new one up to it. Events that are published during this time are republished.
 */
const GRACE_MS = 30_000;
// Brokers forget the offsets of a group without members after a week by default, and so the mark.
const REFRESH = '1 day';

/** As PostgreSQL gives them: a bigint is a text. */
interface KnownStream {
  stream: Stream;
  mark: string | null;
  /** the mark was written long ago */
  is_old: boolean;
  missing_since: Date | null;
  /** for the release before: it has found the stream lost */
  republish_until: Date | null;
  /** positions: it is republished to the first one, and is to be up to the second */
  republished: string | null;
  republish_to: string | null;
}

/**
 * A stream that was lost with its topic is read again from the beginning of the log (decision 117), by a position of
 * its own: what is new is not delayed, and comes before it. Readers leave out what they have handled, by its id.
 */
export class LostStreams {
  private readonly republished;

  constructor(private readonly options: LostStreamsOptions) {
    this.republished = options.metrics.counter(
      'postmesh_events_republished_total',
      'Events published again because their stream was lost',
      ['service', 'stream'],
    );
  }

  /**
   * Several processes may do so at once. Whether the bus is ready is not asked: after a publish that failed it is only by the
   * next one, and this may be the only part that has anything to publish.
   * @throws Transient when the bus does not answer
   */
  async look(signal: AbortSignal): Promise<void> {
    const known: KnownStream[] = await this.options.dataSource.query(KNOWN, [STREAMS]);
    for (const one of known) if (!signal.aborted) await this.lookAt(one, signal);
  }

  private async lookAt(known: KnownStream, signal: AbortSignal): Promise<void> {
    const { stream, mark } = known;
    if (mark === null) return this.markFirst(stream);
    const found = await this.options.marks.read(this.options.service, stream);
    if (String(found) !== mark) return this.wasLost(known);
    if (known.republish_until) return this.rewind(stream, mark, mark);
    if (known.is_old) await this.refresh(stream, mark);
    if (known.republish_to) await this.republish(known, signal);
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
      logger.error(line, 'a stream is another one than before: its events are published again');
    }
    const [rows]: [{ over: boolean }[]] = await dataSource.query(MISSING, [stream, graceMs / 1000]);
    if (!rows[0]?.over) return;
    // It is republished only behind the mark: should the new stream be lost, too, the mark is gone with it.
    const next = Date.now();
    await this.options.marks.write(this.options.service, stream, next);
    await this.rewind(stream, mark, String(next));
  }

  private async rewind(stream: Stream, mark: string | null, next: string): Promise<void> {
    const { dataSource, schema } = this.options;
    await dataSource.query(REWIND, [stream, mark, next, relayOf(schema)]);
  }

  private async refresh(stream: Stream, mark: string): Promise<void> {
    const { dataSource, marks, service } = this.options;
    await marks.write(service, stream, Number(mark));
    await dataSource.query('update stream_marks set written_at = now() where stream = $1', [stream]);
  }

  /** A run that is out of time leaves the rest to the next one. */
  private async republish(known: KnownStream, signal: AbortSignal): Promise<void> {
    const { stream, republished, republish_to: end } = known;
    const { logger, service } = this.options;
    const limits = new BatchLimits(DEFAULT_BATCH);
    const to = Number(end);
    let count = 0;
    for (let after = Number(republished); after < to;) {
      if (signal.aborted) return;
      const batch = limits
        .cut(await this.read(stream, after, limits.of(stream)))
        .filter(({ place }) => place.position <= to);
      await this.options.bus.publish(readOwnEvents(batch));
      this.republished.inc({ service, stream }, batch.length);
      const next = batch.at(-1)?.place.position ?? to;
      if (!(await this.moved({ stream, after, next, to }))) return;
      count += batch.length;
      after = next;
    }
    const line = { event: 'stream.republished', stream, publisher: service, count };
    logger.warn(line, 'published again what readers of a stream may have missed');
  }

  private async read(
    stream: Stream,
    after: number,
    limit: number,
  ): Promise<(ReceivedEvent & { place: { position: number } })[]> {
    const { dataSource, schema } = this.options;
    const runner = dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as pg.ClientBase;
      const limits = { total: limit, of: () => limit };
      return await readEvents(client, ownLog(schema), new Map([[stream, after]]), limits);
    } finally {
      await runner.release();
    }
  }

  /** @returns false when another process did it, or the stream was lost again */
  private async moved(step: { stream: Stream; after: number; next: number; to: number }): Promise<boolean> {
    const values = [step.stream, step.after, step.to, step.next];
    const [, count]: [unknown, number] = await this.options.dataSource.query(MOVE, values);
    return count === 1;
  }
}

// A stream of which nothing is in the log has nothing to lose.
const KNOWN = `
  select known.stream, m.mark, m.written_at < now() - interval '${REFRESH}' as is_old, m.missing_since, m.republish_until, m.republished, m.republish_to
  from unnest($1::text[]) as known(stream) left join stream_marks m using (stream)
  where exists (select from log l where l.stream = known.stream)`;

const MISSING = `
  update stream_marks set missing_since = coalesce(missing_since, now()) where stream = $1
  returning missing_since <= now() - make_interval(secs => $2) as over`;

const REWIND = `
  update stream_marks m set mark = $3, written_at = now(), missing_since = null, republish_until = null, republished = 0,
    republish_to = (select nullif(position, 0) from groups g where g.stream = m.stream and g.consumer_group = $4)
  where stream = $1 and mark = $2`;

const MOVE = `
  update stream_marks set republished = case when $4 < $3 then $4 end, republish_to = case when $4 < $3 then $3 end
  where stream = $1 and republished = $2 and republish_to = $3`;
