import type { Signal } from '@postmesh/concurrency';
import type pg from 'pg';

const TURN_LOCK = 727_004;
const TRY_AGAIN_MS = 500;

const TAKE = `select pg_try_advisory_lock(${TURN_LOCK}, hashtext($1)) as mine`;

// A process that is killed loses its session, and with it the lock, at once. One that hangs keeps both: its session
// is silent then, while a live reader sends a query in half of its lease.
const END_SILENT = `
  select pg_terminate_backend(a.pid) from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.classid = ${TURN_LOCK}
    and l.objid = (hashtext($1)::bigint & 4294967295)::oid
    and l.database = (select oid from pg_database where datname = current_database())
    and a.state_change < now() - $2::integer * interval '1 millisecond'`;

/**
 * One process reads for a group, the others wait for it to end: the turn is a lock of this session.
 * @param onWait called before each pause
 * @returns false when it was stopped before its turn came
 */
export async function takeTurn(
  client: pg.Client,
  { group, leaseMs }: { group: string; leaseMs: number },
  { signal, isStopped, onWait }: { signal: Signal; isStopped: () => boolean; onWait: () => void },
): Promise<boolean> {
  while (!isStopped()) {
    const { rows } = await client.query<{ mine: boolean }>(TAKE, [group]);
    if (rows[0]?.mine) return true;
    await client.query(END_SILENT, [group, leaseMs]);
    onWait();
    await signal.wait(TRY_AGAIN_MS);
  }
  return false;
}
