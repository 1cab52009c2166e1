import type pg from 'pg';
import type { EventEnvelope, Stream } from '@postmesh/contracts';
import type { ReceivedEvent } from '../event-bus.port.js';
import { fromEventText, toEventText } from '../event-text.js';
import type { Partition } from './assignment.rules.js';
import { partitionOf } from './partition.rules.js';

/** Where a member stands in one partition; the fence proves to the database that it still owns it. */
export interface Cursor extends Partition {
  position: number;
  fence: string;
}

export interface LogRecord extends Partition {
  position: number;
  received: ReceivedEvent;
}

export interface AppendRow {
  stream: Stream;
  key: string;
  text: string;
}

// Bounds one statement's memory; a relay's batch of 500 goes in one.
const APPEND_ROWS = 1_000;
const APPEND_CHARACTERS = 8_000_000;

const APPEND = { name: 'bus-append', text: 'select bus.append($1, $2, $3)' };
// An array would escape each of the many quotes in JSON, which itself has no raw line breaks.
const APPEND_LINES = {
  name: 'bus-append-lines',
  text: `select bus.append($1, $2, string_to_array($3, E'\\n'))`,
};

const READ = {
  name: 'bus-read',
  rowMode: 'array' as const,
  text: `select held.stream, held.partition, found.position, found.envelope
    from unnest($1::text[], $2::smallint[], $3::bigint[]) as held(stream, partition, position)
    cross join lateral (
      select l.position, l.envelope from bus.log l
      where l.stream = held.stream and l.partition = held.partition and l.position > held.position
      order by l.position limit $4
    ) as found
    limit $4`,
};

type ReadRow = [stream: Stream, partition: number, position: string, envelope: string];

/** Appends events in their order. Resolves after the commit. */
export async function appendEvents(pool: pg.Pool, events: readonly EventEnvelope[]): Promise<void> {
  // Everything is encoded before anything is written: one event that is too large publishes none.
  const rows = events.map((event) => ({ stream: event.stream, key: event.key, text: toEventText(event) }));
  for (const chunk of inChunks(rows)) await appendRows(pool, chunk);
}

export async function appendRows(client: pg.Pool | pg.PoolClient, rows: readonly AppendRow[]): Promise<void> {
  const texts = rows.map((row) => row.text);
  const about = [rows.map((row) => row.stream), rows.map((row) => partitionOf(row.key))];
  // what could not be decoded is kept as it came, and may hold anything
  const inLines = !texts.some((text) => text.includes('\n'));
  await client.query(
    inLines
      ? { ...APPEND_LINES, values: [...about, texts.join('\n')] }
      : { ...APPEND, values: [...about, texts] },
  );
}

function* inChunks(rows: readonly AppendRow[]): Generator<AppendRow[]> {
  let chunk: AppendRow[] = [];
  let characters = 0;
  for (const row of rows) {
    if (
      chunk.length === APPEND_ROWS ||
      (chunk.length > 0 && characters + row.text.length > APPEND_CHARACTERS)
    ) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
    chunk.push(row);
    characters += row.text.length;
  }
  if (chunk.length > 0) yield chunk;
}

/**
 * Reads on from the cursors, at most `limit` events. Partitions are asked in the order given and the first ones may
 * use the limit up, so a caller turns the list from read to read.
 */
export async function readEvents(
  pool: pg.Pool,
  cursors: readonly Cursor[],
  limit: number,
): Promise<LogRecord[]> {
  if (cursors.length === 0) return [];
  const values = [
    cursors.map((cursor) => cursor.stream),
    cursors.map((cursor) => cursor.partition),
    cursors.map((cursor) => cursor.position),
    limit,
  ];
  const { rows } = await pool.query<ReadRow>({ ...READ, values });
  return rows.map(([stream, partition, position, envelope]) => ({
    stream,
    partition,
    position: Number(position),
    received: { stream, at: `${stream}/${partition}/${position}`, event: fromEventText(envelope) },
  }));
}
