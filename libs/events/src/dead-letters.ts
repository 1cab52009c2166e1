import type { FailureKind, Stream } from '@postmesh/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import type { BatchEntry, EventFailure } from './consumption/batch-entries.js';
import { deleteOlderDays, type OlderDays } from './delete-older-days.js';

/** An event that a consumer gave up, as an operator sees it. */
export interface DeadLetter {
  id: string;
  /** the consumer's name; the service's where the record does not say what it is */
  consumer: string;
  eventId: string;
  stream: Stream;
  pattern: string | null;
  kind: FailureKind;
  reason: string;
  /** the record as it came: JSON, unless that is what is wrong with it */
  envelope: string;
  diedAt: Date;
}

export interface DeadLetterQuery {
  consumer?: string;
  /** ids of dead letters, or of their events */
  ids?: readonly string[];
  /** dead letters behind this id only */
  after?: string;
  limit: number;
}

const COLUMNS = `id, consumer, event_id as "eventId", stream, pattern, kind, reason, envelope, died_at as "diedAt"`;

// Postgres text holds every character but this one; JSON writes it as an escape, free text may not.
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** Writes failed entries in the transaction that admits them; one that is there already stays as it was first. */
export async function writeDeadLetters(
  tx: EntityManager,
  service: string,
  entries: readonly BatchEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await tx.query(
    `insert into dead_letters (consumer, event_id, stream, pattern, kind, reason, envelope)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
     on conflict (consumer, event_id) do nothing`,
    [
      entries.map(({ consumer }) => consumer?.name ?? service),
      entries.map(({ eventId }) => storable(eventId)),
      entries.map(({ stream }) => stream),
      entries.map(({ pattern }) => pattern && storable(pattern)),
      entries.map(({ failure }) => failure?.kind),
      entries.map(({ failure }) => storable(failure?.reason ?? '')),
      entries.map(({ text }) => storable(text)),
    ],
  );
}

/** @returns dead letters, oldest first */
export async function listDeadLetters(
  dataSource: DataSource,
  { consumer, ids, after, limit }: DeadLetterQuery,
): Promise<DeadLetter[]> {
  return dataSource.query(
    `select ${COLUMNS} from dead_letters
     where ($1::text is null or consumer = $1)
       and ($2::text[] is null or id::text = any($2) or event_id = any($2))
       and ($3::bigint is null or id > $3)
     order by id limit $4`,
    [consumer ?? null, ids ?? null, after ?? null, limit],
  );
}

/** @returns ids of those that were still there: two replays at once take each dead letter once */
export async function takeDeadLetters(tx: EntityManager, ids: readonly string[]): Promise<Set<string>> {
  const [rows]: [{ id: string }[], number] = await tx.query(
    'delete from dead_letters where id = any($1::bigint[]) returning id',
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** A replay failed: the dead letter stays, with the latest failure. */
export async function renewDeadLetter(
  tx: EntityManager,
  id: string,
  { kind, reason }: EventFailure,
): Promise<void> {
  await tx.query('update dead_letters set kind = $2, reason = $3 where id = $1', [
    id,
    kind,
    storable(reason),
  ]);
}

/** Deletes dead letters that were not replayed in time, until none is left, in pieces. @returns rows deleted */
export function pruneDeadLetters(dataSource: DataSource, older: OlderDays): Promise<number> {
  return deleteOlderDays(dataSource, { table: 'dead_letters', column: 'died_at' }, older);
}
