import { inBatches } from '@postmesh/concurrency';
import { STREAMS } from '@postmesh/contracts';

// Events without a reader are kept as long as Kafka keeps them by default.
const UNREAD_DAYS = 7;
const ROWS_AT_ONCE = 10_000;
const TRIM_LOCK = 727_005;

/** @returns the rows */
type QueryRows = (text: string, values?: unknown[]) => Promise<unknown[]>;

/** Runs the work in one transaction; any failure rolls all of it back. */
export type InTransaction = <T>(work: (query: QueryRows) => Promise<T>) => Promise<T>;

export interface Trimming {
  schema: string;
  /** how long an event stays that every group has passed */
  keepMs: number;
  /** of the events that every group has passed only those are kept that are among so many of the log; default all */
  mostEvents?: number;
  /** most rows of each stream in one transaction; default 10,000 */
  atOnce?: number;
  /** ends the work between two transactions */
  signal: AbortSignal;
}

/**
 * Deletes events that every group has passed and that are older than `keepMs`, until none is left: one process at a time,
 * in bounded transactions.
 * @returns how many events were deleted
 */
export async function trimLog(inTransaction: InTransaction, trimming: Trimming): Promise<number> {
  const { atOnce = ROWS_AT_ONCE, signal } = trimming;
  let deleted = 0;
  const step = async () => {
    const count = await inTransaction((query) => trimOnce(query, { ...trimming, atOnce }));
    deleted += count;
    return count;
  };
  await inBatches(step, { size: atOnce, signal });
  return deleted;
}

async function trimOnce(
  query: QueryRows,
  { schema, keepMs, mostEvents, atOnce }: Trimming & { atOnce: number },
): Promise<number> {
  const [lock] = await query('select pg_try_advisory_xact_lock($1, hashtext($2)) as mine', [
    TRIM_LOCK,
    schema,
  ]);
  if (!(lock as { mine: boolean }).mine) return 0;
  // Doing it again costs nothing. And a queue's table misleads the planner: only the index is ever right.
  await query('set local synchronous_commit = off');
  await query('set local enable_seqscan = off');
  const values = [STREAMS, atOnce, keepMs, UNREAD_DAYS, mostEvents ?? null];
  const [row] = await query(trim(schema), values);
  return (row as { deleted: number }).deleted;
}

// Only the oldest rows of each stream are read, and the deleted rows are one range of the index: the cost does not
// grow with the log, whatever the planner estimates.
const trim = (schema: string): string => `with bounds as materialized (
    select s.stream, (select min(g.position) from ${schema}.groups g where g.stream = s.stream) as passed
    from unnest($1::text[]) as s(stream)
  ), doomed as materialized (
    select b.stream, (
      select max(oldest.position) from (
        select l.position, l.written_at from ${schema}.log l where l.stream = b.stream order by l.position limit $2
      ) as oldest
      where (b.passed is null and oldest.written_at < now() - $4::integer * interval '1 day')
        or (oldest.position <= b.passed and (oldest.written_at < now() - $3::float8 * interval '1 millisecond'
          or oldest.position <= (select last_value from ${schema}.log_position_seq) - $5::bigint))
    ) as upto
    from bounds b
  ), gone as (
    delete from ${schema}.log l using doomed where l.stream = doomed.stream and l.position <= doomed.upto returning 1
  )
  select count(*)::integer as deleted from gone`;
