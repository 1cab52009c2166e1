import type { LeasedItem, LeasedTable } from './leased-table.js';

/** An account may have three times as many places of a group as stay free for the others of that group, by weight. */
const FLOW_SHARE = 3;
/**
 * Most rows of one claim. It is also written as a number behind limits that depend on parameters: for an unknown limit
 * the planner assumes a tenth of all rows, and would plan each claim of a large table again.
 */
export const MAX_CLAIM = 200;
// The account of a group with the least in flight is chosen among at least this many.
const MIN_ACCOUNTS = 4;

type ClaimedTable = Pick<LeasedTable<LeasedItem>, 'name' | 'claimsAfter' | 'weights' | 'lookups'>;

/**
 * The fair claim (ADR 37): groups take turns, in a group the lanes (eight singles, then one of bulk), in a lane the
 * accounts by their weights; over all of them no account has more than its permits. Every row that it reads is found by
 * a probe of (group_key, lane, account_id, due_at): its cost depends on the groups and accounts visited, not on the backlog.
 *
 * $1 worker, $2 most rows, $3 seconds of the lease
 * $4-$8 groups by name: key, room, whether it is visited out of turn, the last account of each lane that had its turn
 * $9 room of any other group, $10 the last group that had its turn, $11 most groups that are visited in turn
 * $12 $13 accounts with work in flight and their room, $14 room of any other account
 * $15 so much less room has an account for bulk, $16 most rows of bulk
 * $17 0..8, one more from claim to claim: bulk has its turn even where one row at a time has room
 * $18-$20 what accounts have in flight of each group
 */
export const claimStatement = (table: ClaimedTable, returned: string): string => `
  with walked as materialized (${inTurn(table.name, 'group_key', {
    where: isReady(table),
    after: '$10::text',
    most: '$11::int',
  })}),
  named as materialized (
    select * from unnest($4::text[], $5::int[], $6::bool[], $7::uuid[], $8::uuid[])
      as named(group_key, room, is_visited, after_single, after_bulk)),
  visited as (
    select value as group_key, nth from walked
    union all
    select named.group_key, 0 from named
    where named.is_visited and (
      select true from ${table.name} n where ${isReady(table)} and n.group_key = named.group_key
      order by n.lane limit 1)),
  -- where there are many groups, a claim looks at a part of what each has
  groups as materialized (
    select group_key, min(visited.nth) as nth, of_group.room, after_single, after_bulk,
      least(of_group.room, greatest(1, ceil(2.0 * $2::int / count(*) over ())))::int as share
    from visited left join named using (group_key)
      cross join lateral (select coalesce(named.room, $9::int) as room) as of_group
    where of_group.room > 0
    group by group_key, of_group.room, after_single, after_bulk),
  streams as materialized (${accountsInTurn(table)}),
  placed as materialized (
    select due.id, streams.*, row_number() over (partition by group_key, lane
      order by (used + due.nth - 1)::float8 / weight, streams.nth, due.nth) as place
    from streams cross join lateral (
      select first.id, row_number() over (order by first.due_at) as nth from (
        select q.id, q.due_at from ${table.name} q
        where q.state = 'ready' and q.group_key = streams.group_key and q.lane = streams.lane
          and q.account_id = streams.account_id
        order by q.due_at
        limit greatest(0, least(flow_room, account_room,
          greatest(weight, ceil(least(streams, 2.0) * share / streams)::int)))) as first limit ${MAX_CLAIM}) as due),
  ranked as (
    select placed.*, row_number() over (partition by group_key
      order by case lane when 0 then place * 1.125 else place * 9 - $17::int end, lane) as rank
    from placed),
  in_room as (
    select ranked.*, row_number() over (partition by account_id order by rank, lane, group_nth) as of_account
    from ranked where rank <= room),
  fitting as materialized (
    select id, lane, group_nth, nth, row_number() over positions as position,
      sum(lane) over (positions rows unbounded preceding) as bulk
    from in_room where of_account <= account_room
    window positions as (order by of_account::float8 / weight, rank, lane, group_nth, id)),
  -- whoever locks a row first has it, whoever comes later looks at the next one; a probe of the primary key each
  chosen as materialized (select * from (
    select locked.id, fitting.position, fitting.group_nth, fitting.nth
    from (select * from fitting where lane = 0 or bulk <= $16::int order by position) as fitting
    cross join lateral (
      select q.id from ${table.name} q where q.id = fitting.id and q.state = 'ready' for update skip locked) as locked
    limit $2::int) as locked limit ${MAX_CLAIM}),
  claimed as (
    update ${table.name} q set state = 'leased', lease_owner = $1::uuid, lease_token = q.lease_token + 1,
      leased_until = now() + make_interval(secs => $3), attempts = q.attempts + 1,
      first_attempt_at = coalesce(q.first_attempt_at, now()), reason = 'an attempt is in flight'
    where q.id = any(array(select id from chosen))
    returning q.id, q.account_id, ${returned})
  select looked.*, chosen.position::int, chosen.group_nth::int, chosen.nth::int as account_nth,
    claimed.*${table.lookups === undefined ? '' : `, ${table.lookups}`} from (
    select array(select value from walked order by nth) as walked,
      coalesce((select bool_or(share < room) from groups), false) as is_cut,
      (select count(*) from (
        select from ${table.name} n where ${isReady(table)} order by n.group_key limit ${MAX_CLAIM + 1}) as first)::int as ready
  ) as looked left join (chosen join claimed using (id)) on true`;

/** SQL: the next accounts of each group and lane, with the room that they have there and over all. */
const accountsInTurn = (table: ClaimedTable): string => `
    select groups.group_key, groups.nth as group_nth, groups.room, groups.share, lane.no as lane, turn.value as account_id, turn.nth,
      of_account.used, of_account.weight, of_account.room as account_room,
      ceil((${FLOW_SHARE} * of_account.weight * groups.room - of_account.used)
        / (${FLOW_SHARE} * of_account.weight + 1.0))::int as flow_room,
      count(*) over (partition by groups.group_key, lane.no) as streams
    from groups join (values (0::smallint), (1::smallint)) as lane(no) on lane.no = 0 or $16::int > 0
    cross join lateral (${inTurn(table.name, 'account_id', {
      where: `n.state = 'ready' and n.group_key = groups.group_key and n.lane = lane.no`,
      after: 'case lane.no when 0 then groups.after_single else groups.after_bulk end',
      most: `greatest(groups.share, ${MIN_ACCOUNTS})`,
    })}) as turn
    left join unnest($12::uuid[], $13::int[]) as account(account_id, room) on account.account_id = turn.value
    left join unnest($18::uuid[], $19::text[], $20::int[]) as flow(account_id, group_key, used)
      on flow.account_id = turn.value and flow.group_key = groups.group_key
    ${table.weights === undefined ? '' : `left join ${table.weights} weighted on weighted.account_id = turn.value`}
    cross join lateral (
      select coalesce(account.room, $14::int) - lane.no * $15::int as room, coalesce(flow.used, 0) as used,
        coalesce(${table.weights === undefined ? 'null' : 'weighted.weight'}, 1) as weight) as of_account
    where of_account.room > 0`;

/** SQL over `n`: it may be claimed, as far as its group is known. */
export const isReady = ({ claimsAfter = '' }: Pick<ClaimedTable, 'claimsAfter'>): string =>
  `n.state = 'ready' and n.group_key > '${claimsAfter}'`;

/**
 * SQL: the distinct values of a column, in their order, from the one behind `after` (null: the first) on and round again.
 * One or two probes of an index each, however many rows have it; `offset 0` keeps the planner from writing them twice.
 */
function inTurn(
  table: string,
  column: string,
  { where, after, most }: { where: string; after: string; most: string },
): string {
  const behind = (value: string) => `coalesce(
        (select n.${column} from ${table} n where ${where} and n.${column} > ${value} order by n.${column} limit 1),
        (select n.${column} from ${table} n where ${where} order by n.${column} limit 1))`;
  return `
    with recursive turn as (
      select first.value, first.value as begun, 1 as nth from (select ${behind(after)} as value offset 0) as first
      union all
      select next.value, turn.begun, turn.nth + 1
      from turn cross join lateral (select ${behind('turn.value')} as value offset 0) as next
      where turn.nth < ${most} and next.value <> turn.begun)
    select value, nth from turn where value is not null`;
}
