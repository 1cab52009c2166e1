import { PARTITIONS_PER_STREAM, STREAMS } from '@postmesh/contracts';
import type pg from 'pg';
import { MEMBER_IS_DEAD } from './liveness.js';
import { inTransaction } from './transaction.js';

// What nobody listens to is kept as long as Kafka keeps it by default; a group without members is a removed service.
const UNHEARD_DAYS = 7;
const FORGOTTEN_DAYS = 30;
const ROWS_AT_ONCE = 2_000;
const ROUNDS = 50;
const HOUSEKEEPING_LOCK = 727_005;

// Only the oldest rows of each partition are looked at, and what is deleted is one range of the index: nothing here
// grows with the log, whatever the planner believes of its size.
const TRIM = `with bounds as materialized (
    select s.stream, p.partition,
      (select min(c.position) from bus.cursors c where c.stream = s.stream and c.partition = p.partition) as passed
    from unnest($1::text[]) as s(stream) cross join generate_series(0, $2::integer - 1) as p(partition)
  ), doomed as materialized (
    select b.stream, b.partition, (
      select max(oldest.position) from (
        select l.position, l.written_at from bus.log l
        where l.stream = b.stream and l.partition = b.partition order by l.position limit $3
      ) as oldest
      where (b.passed is null and oldest.written_at < now() - $5::integer * interval '1 day')
        or (oldest.position <= b.passed and oldest.written_at < now() - $4::float8 * interval '1 millisecond')
    ) as upto
    from bounds b
  )
  delete from bus.log l using doomed
  where l.stream = doomed.stream and l.partition = doomed.partition and l.position <= doomed.upto`;

/**
 * Deletes events that every group has passed and that are older than `keepMs`. One process at a time, in bounded steps.
 * @returns how many events were deleted
 */
export async function trimLog(pool: pg.Pool, keepMs: number, leaseMs: number): Promise<number> {
  let deleted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const count = await inTransaction(pool, async (client) => {
      const lock = await client.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1, 0) as mine', [
        HOUSEKEEPING_LOCK,
      ]);
      if (!lock.rows[0]?.mine) return 0;
      if (round === 0) await forgetGroups(client, leaseMs);
      const values = [STREAMS, PARTITIONS_PER_STREAM, ROWS_AT_ONCE, keepMs, UNHEARD_DAYS];
      return (await client.query({ name: 'bus-trim', text: TRIM, values })).rowCount ?? 0;
    });
    deleted += count;
    if (count < ROWS_AT_ONCE) break;
  }
  return deleted;
}

/** A stream that a group does not listen to any more must not hold the log for ever. */
async function forgetGroups(client: pg.PoolClient, leaseMs: number): Promise<void> {
  await client.query(
    `update bus.groups g set seen_at = now() where exists (
       select from bus.members m
       where m.consumer_group = g.consumer_group and g.stream = any(m.streams) and not ${MEMBER_IS_DEAD('$1')})`,
    [leaseMs],
  );
  await client.query(
    `with gone as (
       delete from bus.groups where seen_at < now() - $1::integer * interval '1 day' returning consumer_group, stream
     )
     delete from bus.cursors c using gone where c.consumer_group = gone.consumer_group and c.stream = gone.stream`,
    [FORGOTTEN_DAYS],
  );
}
