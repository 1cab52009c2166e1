import type { DataSource, EntityManager } from 'typeorm';
import { Transient, type Stream } from '@postmesh/contracts';
import type { LogPlace, PositionKeeper } from './event-bus.port.js';

/** A stretch of one stream: everything behind `from` up to `to`. */
interface Stretch {
  stream: Stream;
  log: string;
  from: number;
  to: number;
}

const MOVE = `update bus_positions p set position = moved.upto
  from unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[]) as moved(stream, log, after, upto)
  where p.stream = moved.stream and p.log = moved.log and p.position = moved.after`;

/** SQL: a statement that reads from `lazily` commits without waiting for the disk. */
export const LAZILY = `with lazily as materialized (select set_config('synchronous_commit', 'off', true))`;

/**
 * How far a service has handled the streams of a bus with a log; one row per stream in the service's own schema,
 * moved in the transaction of the effects. So an event has its effect once, whatever crashes, without a row per event.
 */
export class LogPositions implements PositionKeeper {
  constructor(private readonly dataSource: DataSource) {}

  async load(log: string, streams: readonly Stream[]): Promise<ReadonlyMap<Stream, number>> {
    // the positions of another log say nothing about this one
    const rows: { stream: Stream; position: string }[] = await this.dataSource.query(
      `insert into bus_positions as p (stream, log, position)
       select stream, $2, 0 from unnest($1::text[]) as wanted(stream) order by stream
       on conflict (stream) do update
         set position = case when p.log = excluded.log then p.position else 0 end, log = excluded.log
       returning stream, position`,
      [streams, log],
    );
    return new Map(rows.map(({ stream, position }) => [stream, Number(position)]));
  }

  async rewind(log: string, streams: readonly Stream[], end: number): Promise<void> {
    await this.dataSource.query(
      `update bus_positions set position = least(position, $3) where stream = any($1::text[]) and log = $2`,
      [streams, log, end],
    );
  }

  /**
   * Moves the positions over these records, to be committed with their effects.
   * @throws Transient when a position is not where the records begin: another process has handled them meanwhile
   */
  async move(tx: EntityManager, records: readonly { stream: Stream; place?: LogPlace }[]): Promise<void> {
    const stretches = stretchesOf(records);
    if (stretches.length === 0) return;
    const [, moved]: [unknown, number] = await tx.query(MOVE, columns(stretches));
    requireAll(stretches, moved);
  }

  /** The same for records without a consumer: if this commit is lost, they are only read again. */
  async skip(records: readonly { stream: Stream; place?: LogPlace }[]): Promise<void> {
    const stretches = stretchesOf(records);
    if (stretches.length === 0) return;
    const [, moved]: [unknown, number] = await this.dataSource.query(
      `${LAZILY}
       ${MOVE.replace('moved(stream, log, after, upto)', '$&, lazily')}`,
      columns(stretches),
    );
    requireAll(stretches, moved);
  }
}

function stretchesOf(records: readonly { stream: Stream; place?: LogPlace }[]): Stretch[] {
  const stretches = new Map<Stream, Stretch>();
  for (const { stream, place } of records) {
    if (!place) continue;
    const { log, after, position } = place;
    const stretch = stretches.get(stream);
    if (stretch && stretch.to !== after)
      throw new Error(`${stream}: records of a batch are not in their order`);
    stretches.set(stream, { stream, log, from: stretch?.from ?? after, to: position });
  }
  // in one order, so that two processes cannot wait for each other
  return [...stretches.values()].sort((a, b) => (a.stream < b.stream ? -1 : 1));
}

const columns = (stretches: readonly Stretch[]): unknown[] => [
  stretches.map(({ stream }) => stream),
  stretches.map(({ log }) => log),
  stretches.map(({ from }) => from),
  stretches.map(({ to }) => to),
];

function requireAll(stretches: readonly Stretch[], moved: number): void {
  if (moved === stretches.length) return;
  throw new Transient('another process has handled these events meanwhile');
}
