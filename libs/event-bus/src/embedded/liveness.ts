import type pg from 'pg';
import type { Backend } from './wakeups.js';

/**
 * SQL: member `m` is dead. Its listening connection is gone (a killed process is noticed at once), or it was silent
 * for a whole lease (a hung process, or a machine that vanished). Pids are used again, hence the start time; other
 * roles see no start time, then the pid must do.
 */
export const MEMBER_IS_DEAD = (leaseMs: string): string => `(
  m.seen_at < now() - ${leaseMs}::integer * interval '1 millisecond'
  or (m.backend_pid is not null and not exists (
    select from pg_stat_activity a
    where a.pid = m.backend_pid and (a.backend_start = m.backend_start or a.backend_start is null)
  ))
)`;

/**
 * One heartbeat for all members of a process.
 * @returns groups that must sync: one of ours was declared dead, or a peer has died
 */
export async function beat(
  pool: pg.Pool,
  members: ReadonlyMap<string, string>,
  { leaseMs, backend }: { leaseMs: number; backend: Backend | undefined },
): Promise<Set<string>> {
  const { rows } = await pool.query<{ kept: string[]; bereaved: string[] }>({
    name: 'bus-beat',
    text: `with kept as (
        update bus.members set seen_at = now(), backend_pid = $4, backend_start = $5::timestamptz
        where member = any($1::uuid[]) returning member
      )
      select coalesce((select array_agg(member::text) from kept), '{}') as kept,
        coalesce((select array_agg(distinct m.consumer_group) from bus.members m
          where m.consumer_group = any($2::text[]) and m.member <> all($1::uuid[]) and ${MEMBER_IS_DEAD('$3')}),
          '{}') as bereaved`,
    values: [[...members.keys()], [...new Set(members.values())], leaseMs, backend?.pid, backend?.start],
  });
  const groups = new Set(rows[0]?.bereaved ?? []);
  const kept = new Set(rows[0]?.kept ?? []);
  for (const [member, group] of members) if (!kept.has(member)) groups.add(group);
  return groups;
}
