import { DATABASE_MS } from '@postmesh/database';
import { claimStatement, isReady } from './claim.sql.js';
import type { LeasedItem, LeasedTable } from './leased-table.js';

/** Rows past their end are claimed under this key, even if their own group is at its limit. */
const ENDED = 'ended';
// Once an account has this many ready singles in one group, its next ones are bulk.
const FLOOD = 500;
const MAX_RIPE = 2_000;

/**
 * After this many workers died one after the other with a row in flight it is set aside. From `SUSPECT_AFTER` on,
 * rows of one crash are tried apart from each other, as only one of them need be the cause; no other row reaches this
 * number.
 */
export const MAX_CRASHES = 5;
const SUSPECT_AFTER = 3;
const GAP_S = 1;
// for the few that are left after the next crash
const LONG_GAP_S = 30;
const MAX_GAP_S = 600;

/**
 * The lease is still this worker's; or the row was freed as abandoned and has not been claimed since (freeing keeps the
 * owner): then this worker knows how the attempt ended after all.
 */
const ENDED_BY_ITS_WORKER = `given.id = q.id and q.lease_owner = $1
  and ((q.state = 'leased' and q.lease_token = given.token)
    or (q.state <> 'leased' and q.lease_token = given.token + 1))`;
/** A final result counts even if others have tried the row meanwhile and it waits for its next attempt. */
const MAY_BE_FINISHED = `((${ENDED_BY_ITS_WORKER})
  or (given.id = q.id and q.state <> 'leased' and q.lease_token > given.token))`;

/** The SQL of one queue, made once. Every text is constant, so the server plans each once per connection. */
export function statementsOf<Item extends LeasedItem>(table: LeasedTable<Item>) {
  const { name } = table;
  const returned = ['q.group_key as key', 'q.lane', 'q.due_at', 'q.attempts', 'q.first_attempt_at']
    .concat('q.lease_token::text', ...Object.keys(table.columns).map((column) => `q.${column}`))
    .join(', ');
  return {
    insert: insertStatement(table, floodsStatement(table)),
    insertLeased: insertStatement(table),
    finish: `delete from ${name} q using unnest($2::uuid[], $3::bigint[]) as given(id, token)
      where ${MAY_BE_FINISHED} returning q.id, given.token::text as lease_token`,
    release: releaseStatement(table),
    claim: claimStatement(table, returned),
    sweep: sweepStatement(table),
    renew: `update ${name} set leased_until = now() + make_interval(secs => $3)
      where id = any($2::uuid[]) and lease_owner = $1 and state = 'leased'`,
    giveBack: `update ${name} set state = 'waiting', attempts = attempts - 1, lease_owner = null, leased_until = null,
        first_attempt_at = case when attempts > 1 then first_attempt_at end,
        reason = 'its worker gave it back before the attempt'
      where lease_owner = $1 and state = 'leased' and id <> all($2::uuid[])`,
    isHeldByOthers: `select from ${name} where id = $1 and lease_token > $2::bigint and state = 'leased'`,
    // $1 seconds of silence, $2 most rows, $3 whether leases may run out, $4 workers whose processes are dead
    freeAbandoned: `with abandoned as materialized (
        select id, (lease_owner = any($4::uuid[]) or exists (select from workers w where w.id = q.lease_owner
            and w.heartbeat_at <= now() - make_interval(secs => $1)))::int as died
        from ${name} q
        where state = 'leased' and (lease_owner = any($4::uuid[]) or ($3 and leased_until < now())
          or not exists (select from workers w where w.id = q.lease_owner))
        limit $2 for update skip locked),
      numbered as materialized (
        select q.id, q.crashes + died as crashes,
          row_number() over (partition by q.crashes + died order by random()) - 1 as others
        from abandoned join ${name} q using (id)),
      claimed as (
        update ${name} q set state = 'waiting', leased_until = null, crashes = numbered.crashes,
          due_at = now() + make_interval(secs => case
            when numbered.crashes < ${SUSPECT_AFTER} then 0
            when numbered.crashes >= ${MAX_CRASHES} then ${MAX_GAP_S}
            else least(${MAX_GAP_S}, numbered.others
              * case numbered.crashes when ${SUSPECT_AFTER} then ${GAP_S} else ${LONG_GAP_S} end) end),
          lease_token = q.lease_token + 1, attempts = q.attempts - ${table.countsAbandoned ? 0 : 1},
          reason = 'its worker stopped in the middle of an attempt'${table.abandonedSets === undefined ? '' : `, ${table.abandonedSets}`}
        from numbered where q.id = numbered.id
        returning q.id, q.account_id, q.crashes, ${returned})
      select claimed.*${lookupsOf(table)} from claimed`,
    remove: `delete from ${name} where id = any($1::uuid[])`,
    beat: `insert into workers (id, started_at, heartbeat_at, process) values ($1, now(), now(), $2)
      on conflict (id) do update set heartbeat_at = now()
      returning ${DATABASE_MS} as now, exists (
        select from ${name} q where q.state = 'leased' and (q.lease_owner <> $1 or q.leased_until < now())) as "mayFree"`,
    silentOthers: `select id, process from workers
      where id <> $1 and process is not null and heartbeat_at < now() - make_interval(secs => $2)`,
    forgetWorkers: `delete from workers w where heartbeat_at < now() - interval '1 hour'
      and not exists (select from ${name} q where q.lease_owner = w.id and q.state = 'leased')`,
  };
}

const lookupsOf = ({ lookups }: { lookups?: string }) => (lookups === undefined ? '' : `, ${lookups}`);

/**
 * Due rows become ready. Rows past their end are put where they are claimed, as if they had been tried first when they
 * were due: the attempt sees that their time is over. A second later, as the clocks of workers differ.
 */
const sweepStatement = (table: LeasedTable<LeasedItem>) => `
  with due as materialized (
    select id from ${table.name} where state = 'waiting' and due_at <= now()
    order by due_at limit ${MAX_RIPE} for update skip locked),
  ripe as (
    update ${table.name} q set state = 'ready', group_key = ${table.groupOf ?? 'q.group_key'}
    from due where q.id = due.id returning q.account_id, q.group_key, q.lane),
  over as materialized (
    select id from ${table.name} where state = 'ready' and ends_at <= now() - interval '1 second'
    order by ends_at limit ${MAX_RIPE} for update skip locked),
  ended as (
    update ${table.name} q set group_key = '${ENDED}', ends_at = null,
      first_attempt_at = coalesce(q.first_attempt_at, q.due_at)
    from over where q.id = over.id returning q.account_id, q.group_key, q.lane),
  ready as (select * from ripe union all select * from ended)
  select exists (select from ready)
      or (select true from ${table.name} n where ${isReady(table)} order by n.group_key limit 1) is not null as is_ready,
    exists (select from ripe where group_key <= '${table.claimsAfter ?? ''}') as is_unclaimable,
    greatest((select count(*) from ripe), (select count(*) from ended)) >= ${MAX_RIPE} as is_cut,
    (select (extract(epoch from min(due_at) - now()) * 1000)::float8 from ${table.name}
     where state = 'waiting' and due_at > now()) as next_ms,
    (select json_agg(json_build_array(account_id, group_key))
     from (select distinct account_id, group_key from ready where lane = 0) as single) as fresh`;

const GIVEN = [
  ['id', 'uuid'],
  ['account_id', 'uuid'],
  ['group_key', 'text'],
  ['lane', 'smallint'],
  ['leased', 'bool'],
  ['due_at', 'timestamptz'],
  ['ends_at', 'timestamptz'],
  ['state', 'text'],
  ['reason', 'text'],
] as const;

/** Accounts with very many singles in one group already, among inserted rows that are not claimed. */
const floodsStatement = ({ name }: LeasedTable<LeasedItem>) => `
    floods as materialized (
      select account_id, group_key, 1::smallint as lane from (
        select distinct account_id, group_key
        from unnest($4::uuid[], $5::text[], $6::smallint[], $7::bool[]) as given(account_id, group_key, lane, leased)
        where lane = 0 and not leased) as of_account
      where (select count(*) from (
        select from ${name} q where q.state = 'ready' and q.group_key = of_account.group_key and q.lane = 0
          and q.account_id = of_account.account_id limit ${FLOOD}) as first) = ${FLOOD}),`;

/**
 * $1 worker, $2 seconds of the lease, $3… columns; rows that are inserted as leased are marked, and returned.
 * @param floods missing where all of them are
 */
function insertStatement(table: LeasedTable<LeasedItem>, floods?: string) {
  const { name, columns } = table;
  const given = [...GIVEN, ...Object.entries(columns)];
  const own = Object.keys(columns)
    .map((column) => `, ${column}`)
    .join('');
  return `with ${floods ?? ''}
    claimed as (
      insert into ${name} (id, account_id, group_key, lane, due_at, ends_at, state, reason${own},
        attempts, first_attempt_at, lease_owner, lease_token, leased_until)
      select id, account_id, group_key, ${floods ? 'coalesce(floods.lane, given.lane)' : 'lane'}, due_at, ends_at,
        case when leased then 'leased' when state is not null then state
          when due_at <= clock_timestamp() then 'ready' else 'waiting' end, reason${own},
        leased::int, case when leased then now() end, case when leased then $1::uuid end, leased::int,
        case when leased then now() + make_interval(secs => $2) end
      from unnest(${given.map(([, type], nth) => `$${nth + 3}::${type}[]`).join(', ')})
        as given(${given.map(([column]) => column).join(', ')})
        ${floods ? 'left join floods using (account_id, group_key)' : ''}
      on conflict do nothing
      returning id, account_id, group_key as key, lane, state, first_attempt_at${own})
    select claimed.id, claimed.lane, claimed.first_attempt_at${lookupsOf(table)} from claimed
    where claimed.state = 'leased'`;
}

function releaseStatement({ name, columns, releaseColumns = [] }: LeasedTable<LeasedItem>) {
  const given: [column: string, type: string][] = [
    ['id', 'uuid'],
    ['token', 'bigint'],
    ['group_key', 'text'],
    ['due_at', 'timestamptz'],
    ['ends_at', 'timestamptz'],
    ['state', 'text'],
    ['reason', 'text'],
    ['attempts', 'int'],
    ['first_attempt_at', 'timestamptz'],
    ...releaseColumns.map((column): [string, string] => [column, columns[column] ?? 'text']),
  ];
  const set = given.slice(3).map(([column]) => `${column} = given.${column}`);
  return `update ${name} q set ${set.join(', ')}, group_key = coalesce(given.group_key, q.group_key),
      crashes = case when given.attempts < q.attempts then q.crashes else 0 end,
      lease_owner = null, leased_until = null
    from unnest(${given.map(([, type], nth) => `$${nth + 2}::${type}[]`).join(', ')})
      as given(${given.map(([column]) => column).join(', ')})
    where ${ENDED_BY_ITS_WORKER} returning q.id, given.token::text as lease_token`;
}
