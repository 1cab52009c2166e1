import { STREAMS } from '@postmesh/contracts';
import type pg from 'pg';
import type { GroupLag } from '../event-bus.port.js';
import { inTransaction } from '../log/connections.js';
import { trimLog, type Trimming } from '../log/trim-log.js';

// A group without members is a removed service.
const FORGOTTEN_DAYS = 30;

/** Trims the log of the bus, which does not wait for groups of removed services. @returns how many events were deleted */
export async function trimBus(pool: pg.Pool, trimming: Omit<Trimming, 'schema'>): Promise<number> {
  await forgetGroups(pool);
  return trimLog(
    (work) =>
      inTransaction(pool, (client) => work(async (text, values) => (await client.query(text, values)).rows)),
    { ...trimming, schema: 'bus' },
  );
}

/** A stream that a group does not read any more must not hold the log for ever; a reader is seen once a minute. */
async function forgetGroups(pool: pg.Pool): Promise<void> {
  await pool.query(`delete from bus.groups where seen_at < now() - $1::integer * interval '1 day'`, [
    FORGOTTEN_DAYS,
  ]);
}

// Counting a large backlog costs more than knowing it is large.
const COUNT_AT_MOST = 100_000;

/**
 * The number of events behind each group's positions; a stream counts as COUNT_AT_MOST at most. Positions in a stream of
 * another release stay for 30 days.
 */
export async function groupLag(pool: pg.Pool): Promise<GroupLag[]> {
  const { rows } = await pool.query<{ consumer_group: string; stream: string; behind: string }>(
    `select g.consumer_group, g.stream, waiting.events as behind
     from bus.groups g cross join lateral (
       select count(*) as events from (
         select from bus.log l where l.stream = g.stream and l.position > g.position limit $1
       ) as bounded
     ) as waiting
     where g.stream = any($2) or waiting.events > 0
     order by 1, 2`,
    [COUNT_AT_MOST, STREAMS],
  );
  return rows.map((row) => ({
    group: row.consumer_group,
    stream: row.stream,
    behind: Number(row.behind),
  }));
}
