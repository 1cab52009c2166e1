import { inBatches } from '@postmesh/concurrency';
import type { DataSource, EntityManager } from 'typeorm';

const PIECE = 5_000;

/** Rows whose time is over. */
export interface OlderRows {
  table: string;
  /** a timestamptz with an index in which these rows can be found oldest first */
  column: string;
  olderThanSeconds: number;
  /** SQL that must hold besides; a row that does not meet it stays */
  condition?: string;
  /** rows of one statement; default 5,000: some ten milliseconds */
  piece?: number;
  /** ends the work between two pieces */
  signal: AbortSignal;
}

interface Piece {
  rows: number;
  /** as text: a Date has no microseconds */
  upto: string | null;
}

/**
 * Deletes rows in pieces, oldest first, until none is left, so that rows are removed as fast as they are written.
 * Each piece is a transaction of its own, begins where the one before ended, and skips rows that are locked.
 * @param database not a transaction: a piece is one
 * @returns rows deleted
 */
export async function deleteOlder(
  database: Pick<DataSource | EntityManager, 'query'>,
  { table, column, olderThanSeconds, condition = 'true', piece = PIECE, signal }: OlderRows,
): Promise<number> {
  // the limit is written out: a plan for any limit would sort the whole table
  const statement = `
    with gone as (
      delete from ${table} where ctid = any(array(
        select ctid from ${table}
        where ${column} >= $1::timestamptz and ${column} < now() - make_interval(secs => $2) and ${condition}
        order by ${column} limit ${piece} for update skip locked))
      returning ${column} as at)
    select count(*)::int as rows, max(at)::text as upto from gone`;
  let from = '-infinity';
  let deleted = 0;
  const step = async () => {
    const [gone]: Piece[] = await database.query(statement, [from, olderThanSeconds]);
    from = gone?.upto ?? from;
    deleted += gone?.rows ?? 0;
    return gone?.rows ?? 0;
  };
  await inBatches(step, { size: piece, signal });
  return deleted;
}
