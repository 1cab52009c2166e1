import type pg from 'pg';
import type { Stream } from '@postmesh/contracts';
import type { EventText, ReceivedEvent, RunStatement, Subscription } from '../event-bus.port.js';

// Bounds one statement's memory; a relay's batch of 500 goes in one.
const APPEND_ROWS = 1_000;
const APPEND_CHARACTERS = 8_000_000;

/** A log by the schema of its tables (log-tables.ts). */
export interface LogTables {
  /** identifies it: positions in one log mean nothing in another */
  readonly id: string;
  readonly schema: string;
}

// An array would escape each of the many quotes in JSON, which itself has no raw line breaks.
const append = (schema: string): string => `select ${schema}.append($1, string_to_array($2, E'\\n'), $3)`;

/**
 * Appends events in their order; readers see them with the commit. It is the last statement before that: it holds a
 * lock of each stream.
 * @param relayed whether the same events may be appended again after a crash
 */
export async function appendEvents(
  query: RunStatement,
  schema: string,
  events: readonly EventText[],
  relayed: boolean,
): Promise<void> {
  for (const chunk of inChunks(events)) {
    const texts = chunk.map(({ text }) => text).join('\n');
    await query(append(schema), [chunk.map(({ stream }) => stream), texts, relayed]);
  }
}

function* inChunks(events: readonly EventText[]): Generator<EventText[]> {
  let chunk: EventText[] = [];
  let characters = 0;
  for (const event of events) {
    const isFull = chunk.length === APPEND_ROWS || characters + event.text.length > APPEND_CHARACTERS;
    if (isFull && chunk.length > 0) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
    chunk.push(event);
    characters += event.text.length;
  }
  if (chunk.length > 0) yield chunk;
}

// Envelopes of ours begin with their id (36 characters), their type and their version, and end with their data.
const OURS = `{"id":"${'_'.repeat(36)}","type":%,"data":%`;
const startOf = ({ type, version }: { type: string; version: number }): string =>
  `{"id":"${'_'.repeat(36)}","type":"${type}","version":${version},%`;

const read = (schema: string) => ({
  name: `${schema}-read`,
  rowMode: 'array' as const,
  text: `select wanted.stream, found.position,
      case when found.is_whole then found.envelope else split_part(found.envelope, ',"data":', 1) || '}' end,
      found.relayed, case when found.position = reach.last then reach.seen end
    from unnest($1::text[], $2::bigint[], $4::int[]) as wanted(stream, position, most)
    cross join lateral (
      select max(position) as last, count(*)::int as seen from (
        select position from ${schema}.log where stream = wanted.stream and position > wanted.position
        order by position limit wanted.most
      ) as places
    ) as reach
    cross join lateral (
      select l.position, l.envelope, l.relayed,
        $5::text[] is null or l.envelope like any($5) or l.envelope not like '${OURS}' as is_whole
      from ${schema}.log l
      where l.stream = wanted.stream and l.position > wanted.position and l.position <= reach.last
      order by l.position
    ) as found
    where found.is_whole or found.position = reach.last
    limit $3`,
});

type ReadRow = [stream: Stream, position: string, envelope: string, relayed: boolean, seen: number | null];

/**
 * Reads from the positions, at most `limit` events in all and of each stream its own limit, in order. Streams are
 * read in the given order and the first one may use the limit up, so a caller rotates the list from read to read.
 * @param handles other events are left out; the last event of a stream says how many. Where that is another event
 *   itself, its head is read, so that the reader knows how far it came. Undefined: all are read whole
 */
export async function readEvents(
  client: pg.ClientBase,
  { id: log, schema }: LogTables,
  positions: ReadonlyMap<Stream, number>,
  limit: { total: number; of: (stream: Stream) => number },
  handles?: Subscription['handles'],
): Promise<(ReceivedEvent & { place: { position: number } })[]> {
  if (positions.size === 0) return [];
  const streams = [...positions.keys()];
  const limits = streams.map((stream) => limit.of(stream));
  const values = [streams, [...positions.values()], limit.total, limits, handles?.map(startOf)];
  const { rows } = await client.query<ReadRow>({ ...read(schema), values });
  const reached = new Map(positions);
  let [stream, found]: [Stream | undefined, number] = [undefined, 0];
  return rows.map(([of, positionText, text, mayRepeat, seen]) => {
    found = of === stream ? found + 1 : 1;
    stream = of;
    const position = Number(positionText);
    const place = { log, after: reached.get(of) ?? 0, position };
    reached.set(of, position);
    return { stream: of, at: `${of}/${position}`, text, mayRepeat, place, passed: (seen ?? found) - found };
  });
}

/** @returns the highest position so far; read after a group's positions, none of them is above it */
export async function lastPosition(client: pg.Client, schema: string): Promise<number> {
  const { rows } = await client.query<{ last: string }>(
    `select last_value as last from ${schema}.log_position_seq`,
  );
  return Number(rows[0]?.last);
}
