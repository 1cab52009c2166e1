import { Stream } from '@postmesh/contracts';
import type pg from 'pg';
import type { GroupLag } from '../event-bus.port.js';

// Counting a large backlog costs more than knowing it is large.
const COUNT_AT_MOST = 100_000;

/** How many events stand behind each group's cursors; a partition counts as COUNT_AT_MOST at most. */
export async function groupLag(pool: pg.Pool): Promise<GroupLag[]> {
  const { rows } = await pool.query<{ consumer_group: string; stream: string; behind: string }>(
    `select c.consumer_group, c.stream, sum(waiting.events) as behind
     from bus.cursors c cross join lateral (
       select count(*) as events from (
         select from bus.log l
         where l.stream = c.stream and l.partition = c.partition and l.position > c.position limit $1
       ) as bounded
     ) as waiting
     group by 1, 2 order by 1, 2`,
    [COUNT_AT_MOST],
  );
  return rows.map((row) => ({
    group: row.consumer_group,
    stream: Stream.parse(row.stream),
    behind: Number(row.behind),
  }));
}
