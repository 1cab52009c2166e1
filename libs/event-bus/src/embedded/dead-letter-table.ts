import { Stream, type FailureKind } from '@postmesh/contracts';
import type pg from 'pg';
import type { BuriedEvent, DeadLetter } from '../dead-letter.js';
import { REPLAY_AT_ONCE, type DeadLetterQuery } from '../event-bus.port.js';
import { fromEventText, keyOf } from '../event-text.js';
import { appendRows } from './event-log.js';
import { inTransaction } from './transaction.js';

interface DeadRow {
  id: string;
  stream: string;
  consumer_group: string;
  pattern: string | null;
  kind: FailureKind;
  reason: string;
  event: string;
  died_at: Date;
}

const COLUMNS = 'id, stream, consumer_group, pattern, kind, reason, event, died_at';

// Postgres text holds every character but this one; JSON writes it as an escape, free text may not.
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');

const asText = (event: unknown): string =>
  typeof event === 'string' ? storable(event) : JSON.stringify(event);

/** Writes the letters in one statement; one that is there already stays as it was first. */
export async function buryEvents(pool: pg.Pool, events: readonly BuriedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await pool.query(
    `insert into bus.dead_letters (consumer_group, stream, id, pattern, kind, reason, event)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
     on conflict do nothing`,
    [
      events.map(({ group }) => group),
      events.map(({ stream }) => stream),
      events.map(({ id }) => storable(id)),
      events.map(({ pattern }) => pattern && storable(pattern)),
      events.map(({ kind }) => kind),
      events.map(({ reason }) => storable(reason)),
      events.map(({ event }) => asText(event)),
    ],
  );
}

export async function readDeadLetters(
  pool: pg.Pool,
  { stream, group, limit }: DeadLetterQuery & { limit: number },
): Promise<DeadLetter[]> {
  const { rows } = await pool.query<DeadRow>(
    `select ${COLUMNS} from bus.dead_letters where consumer_group = $1 and stream = $2 order by position limit $3`,
    [group, stream, limit],
  );
  return rows.map(({ consumer_group, event, died_at, ...row }) => ({
    ...row,
    stream: Stream.parse(row.stream),
    group: consumer_group,
    event: fromEventText(event),
    died_at: died_at.toISOString(),
  }));
}

/** Publishing and removing are one transaction: a letter is in the log or among the dead, never in both or neither. */
export async function replayDeadLetters(
  pool: pg.Pool,
  { stream, group, ids }: DeadLetterQuery & { ids?: readonly string[] },
): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string; event: string }>(
      `select id, event from bus.dead_letters
       where consumer_group = $1 and stream = $2 and ($3::text[] is null or id = any($3))
       order by position limit $4 for update skip locked`,
      [group, stream, ids, REPLAY_AT_ONCE],
    );
    if (rows.length === 0) return 0;
    await client.query(
      'delete from bus.dead_letters where consumer_group = $1 and stream = $2 and id = any($3)',
      [group, stream, rows.map(({ id }) => id)],
    );
    await appendRows(
      client,
      rows.map(({ event }) => ({ stream, key: keyOf(fromEventText(event)), text: event })),
    );
    return rows.length;
  });
}
