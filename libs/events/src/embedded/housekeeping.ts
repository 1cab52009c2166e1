import { inBatches } from '@postmesh/concurrency';
import { Stream, STREAMS } from '@postmesh/contracts';
import type pg from 'pg';
import type { GroupLag } from '../event-bus.port.js';
import { inTransaction } from './connections.js';

// Events without a reader are kept as long as Kafka keeps them by default; a group without members is a removed
// service.
const UNREAD_DAYS = 7;
const FORGOTTEN_DAYS = 30;
const ROWS_AT_ONCE = 10_000;
const HOUSEKEEPING_LOCK = 727_005;

// Only the oldest rows of each stream are read, and the deleted rows are one range of the index: the cost does not
// grow with the log, whatever the planner estimates.
const TRIM = `with bounds as materialized (
    select s.stream, (select min(g.position) from bus.groups g where g.stream = s.stream) as passed
    from unnest($1::text[]) as s(stream)
  ), doomed as materialized (
    select b.stream, (
      select max(oldest.position) from (
        select l.position, l.written_at from bus.log l where l.stream = b.stream order by l.position limit $2
      ) as oldest
      where (b.passed is null and oldest.written_at < now() - $4::integer * interval '1 day')
        or (oldest.position <= b.passed and oldest.written_at < now() - $3::float8 * interval '1 millisecond')
    ) as upto
    from bounds b
  )
  delete from bus.log l using doomed where l.stream = doomed.stream and l.position <= doomed.upto`;

export interface Trimming {
  /** how long an event stays that every group has passed */
  keepMs: number;
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
export async function trimLog(
  pool: pg.Pool,
  { keepMs, atOnce = ROWS_AT_ONCE, signal }: Trimming,
): Promise<number> {
  let deleted = 0;
  let isFirst = true;
  const step = async () => {
    const count = await inTransaction(pool, (client) => trimOnce(client, { keepMs, atOnce, isFirst }));
    isFirst = false;
    deleted += count;
    return count;
  };
  await inBatches(step, { size: atOnce, signal });
  return deleted;
}

async function trimOnce(
  client: pg.PoolClient,
  { keepMs, atOnce, isFirst }: { keepMs: number; atOnce: number; isFirst: boolean },
): Promise<number> {
  const lock = await client.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1, 0) as mine', [
    HOUSEKEEPING_LOCK,
  ]);
  if (!lock.rows[0]?.mine) return 0;
  // Doing it again costs nothing. And a queue's table misleads the planner: only the index is ever right.
  await client.query('set local synchronous_commit = off');
  await client.query('set local enable_seqscan = off');
  if (isFirst) await forgetGroups(client);
  const values = [STREAMS, atOnce, keepMs, UNREAD_DAYS];
  return (await client.query({ name: 'bus-trim', text: TRIM, values })).rowCount ?? 0;
}

/** A stream that a group does not read any more must not hold the log for ever; a reader is seen once a minute. */
async function forgetGroups(client: pg.PoolClient): Promise<void> {
  await client.query(`delete from bus.groups where seen_at < now() - $1::integer * interval '1 day'`, [
    FORGOTTEN_DAYS,
  ]);
}

// Counting a large backlog costs more than knowing it is large.
const COUNT_AT_MOST = 100_000;

/** The number of events behind each group's positions; a stream counts as COUNT_AT_MOST at most. */
export async function groupLag(pool: pg.Pool): Promise<GroupLag[]> {
  const { rows } = await pool.query<{ consumer_group: string; stream: string; behind: string }>(
    `select g.consumer_group, g.stream, waiting.events as behind
     from bus.groups g cross join lateral (
       select count(*) as events from (
         select from bus.log l where l.stream = g.stream and l.position > g.position limit $1
       ) as bounded
     ) as waiting
     order by 1, 2`,
    [COUNT_AT_MOST],
  );
  return rows.map((row) => ({
    group: row.consumer_group,
    stream: Stream.parse(row.stream),
    behind: Number(row.behind),
  }));
}
