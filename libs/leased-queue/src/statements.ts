import { FLOW_SHARE } from './fair-permits.js';
import type { LeasedItem, LeasedTable } from './leased-table.js';

/** Flows (an account's rows of one key) that one claim in turns looks at. */
export const MAX_FLOWS = 500;

const CLAIMED_BY_ITS_WORKER = `given.id = q.id and q.lease_token = given.token and q.lease_owner = $1 and q.state = 'leased'`;

// $1 worker, $2 most rows, $3 seconds of the lease, $4 keys with work in flight, $5 their permits, $6 permits of any
// other key, $7-$9 the same of accounts; $10-$12 flows (an account's rows of one key) with what they have in flight.
const BUSY_KEYS = 'unnest($4::text[], $5::int[]) as busy_key(key, permits)';
const BUSY_ACCOUNTS = 'unnest($7::uuid[], $8::int[]) as busy_account(account_id, permits)';
const BUSY_FLOWS = 'unnest($10::uuid[], $11::text[], $12::int[]) as busy_flow(account_id, key, used)';

/** SQL of `flowShare` in fair-permits.ts. */
const flowShare = (keyPermits: string, used: string) =>
  `ceil((${FLOW_SHARE} * ${keyPermits} - coalesce(${used}, 0)) / ${FLOW_SHARE + 1}.0)`;

/** The SQL of one queue, made once. Every text is constant, so the server plans each once per connection. */
export function statementsOf<Item extends LeasedItem>(table: LeasedTable<Item>) {
  const { name, key } = table;
  const own = Object.keys(table.columns);
  const returned = [`q.${key} as key`, 'q.due_at', 'q.attempts', 'q.first_attempt_at', 'q.lease_token::text']
    .concat(own.map((column) => `q.${column}`))
    .join(', ');
  return {
    insert: insertStatement(table),
    finish: `delete from ${name} q using unnest($2::uuid[], $3::bigint[]) as given(id, token)
      where ${CLAIMED_BY_ITS_WORKER} returning q.id, q.lease_token::text`,
    release: releaseStatement(table),
    claimOldest: claimOldest(table, returned),
    claimInTurns: claimInTurns(table, returned),
    nextDue: `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms from ${name}
      where state = 'waiting'`,
    renew: `update ${name} set leased_until = now() + make_interval(secs => $3)
      where id = any($2::uuid[]) and lease_owner = $1 and state = 'leased'`,
    giveBack: `update ${name} set state = 'waiting', attempts = attempts - 1, lease_owner = null, leased_until = null,
        first_attempt_at = case when attempts > 1 then first_attempt_at end,
        reason = 'its worker gave it back before the attempt'
      where lease_owner = $1 and state = 'leased' and id <> all($2::uuid[])`,
    // $1 seconds of silence, $2 most rows, $3 whether silent workers may be called dead
    freeAbandoned: `with abandoned as materialized (
        select id from ${name} q
        where state = 'leased' and (leased_until < now() or ($3 and not exists (
          select from workers w where w.id = q.lease_owner and w.heartbeat_at > now() - make_interval(secs => $1))))
        limit $2 for update skip locked),
      claimed as (
        update ${name} q set state = 'waiting', due_at = now(), lease_owner = null, leased_until = null,
          lease_token = q.lease_token + 1, attempts = q.attempts - ${table.countsAbandoned ? 0 : 1},
          reason = 'its worker stopped in the middle of an attempt'
        from abandoned where q.id = abandoned.id
        returning q.id, q.account_id, ${returned})
      select claimed.*${lookupsOf(table)} from claimed`,
    forgetWorkers: `delete from workers w where heartbeat_at < now() - interval '1 hour'
      and not exists (select from ${name} q where q.lease_owner = w.id and q.state = 'leased')`,
  };
}

const lookupsOf = ({ lookups }: { lookups?: string }) => (lookups === undefined ? '' : `, ${lookups}`);

// Whoever locks a row first has it; whoever comes later looks at the next one.
const LEASE = (name: string, returned: string) => `
  chosen as materialized (
    select q.id from fitting join ${name} q using (id)
    where q.state = 'waiting'
    order by fitting.turn, fitting.due_at limit $2 for update of q skip locked),
  claimed as (
    update ${name} q set state = 'leased', lease_owner = $1, lease_token = q.lease_token + 1,
      leased_until = now() + make_interval(secs => $3), attempts = q.attempts + 1,
      first_attempt_at = coalesce(q.first_attempt_at, now()), reason = 'an attempt is in flight'
    from chosen where q.id = chosen.id
    returning q.id, q.account_id, ${returned})`;

// No more of a flow than its share of the key, no more of a key than it has permits, and of what is left no more of an
// account.
const WITHIN_PERMITS = `
  within_flows as (
    select id, account_id, key, turn, due_at, permits from (
      select due.*, coalesce(busy_key.permits, $6) as permits, busy_flow.used,
        row_number() over (partition by due.account_id, due.key order by due.turn, due.due_at) as nth
      from due left join ${BUSY_KEYS} using (key) left join ${BUSY_FLOWS} using (account_id, key)) as ranked
    where nth <= ${flowShare('permits', 'used')}),
  within_keys as (
    select id, account_id, turn, due_at from (
      select within_flows.*, row_number() over (partition by key order by turn, due_at) as nth
      from within_flows) as ranked
    where nth <= permits),
  fitting as materialized (
    select id, turn, due_at from (
      select within_keys.*, coalesce(busy_account.permits, $9) as permits,
        row_number() over (partition by account_id order by turn, due_at) as nth
      from within_keys left join ${BUSY_ACCOUNTS} using (account_id)) as ranked
    where nth <= permits)`;

/** The oldest due rows; $13 = how many of them are looked at, so that a claim costs the same however many wait. */
const claimOldest = (table: ClaimedTable, returned: string) => `
  with due as materialized (
    select id, account_id, ${table.key} as key, due_at, 0 as turn from ${table.name}
    where state = 'waiting' and due_at <= now() order by due_at limit $13),
  ${WITHIN_PERMITS},
  ${LEASE(table.name, returned)}
  select looked.*, claimed.*${lookupsOf(table)}
  from (select count(*)::int as seen from due) as looked left join claimed on true`;

/**
 * Due rows of the next flows after ($13, $14): one index probe for each flow, then as many rows of it as there are
 * permits. An account without a permit is passed over with all its keys.
 */
const claimInTurns = (table: ClaimedTable, returned: string) => `
  with recursive flows as (
    (select account_id, ${table.key} as key, 1 as nth, false as is_full from ${table.name}
     where state = 'waiting' and (account_id, ${table.key}) > ($13::uuid, $14::text)
     order by account_id, ${table.key} limit 1)
    union all
    select next.account_id, next.key, flows.nth + 1, coalesce((
      select busy_account.permits from ${BUSY_ACCOUNTS} where busy_account.account_id = next.account_id), $9) = 0
    from flows cross join lateral (
      (select q.account_id, q.${table.key} as key from ${table.name} q
       where not flows.is_full and q.state = 'waiting'
         and (q.account_id, q.${table.key}) > (flows.account_id, flows.key)
       order by q.account_id, q.${table.key} limit 1)
      union all
      (select q.account_id, q.${table.key} as key from ${table.name} q
       where flows.is_full and q.state = 'waiting' and q.account_id > flows.account_id
       order by q.account_id, q.${table.key} limit 1)) as next
    where flows.nth < ${MAX_FLOWS}),
  due as materialized (
    select first.id, flows.account_id, flows.key, first.due_at, first.turn
    from flows
    left join ${BUSY_KEYS} on busy_key.key = flows.key
    left join ${BUSY_ACCOUNTS} on busy_account.account_id = flows.account_id
    left join ${BUSY_FLOWS} on busy_flow.account_id = flows.account_id and busy_flow.key = flows.key
    cross join lateral (
      select id, due_at, row_number() over (order by due_at) as turn from (
        select q.id, q.due_at from ${table.name} q
        where q.state = 'waiting' and q.account_id = flows.account_id and q.${table.key} = flows.key
          and q.due_at <= now()
        order by q.due_at
        limit greatest(0, least(${flowShare('coalesce(busy_key.permits, $6)', 'busy_flow.used')},
          coalesce(busy_account.permits, $9), $2))) as oldest) as first
    limit $2),
  ${WITHIN_PERMITS},
  ${LEASE(table.name, returned)}
  select looked.*, claimed.*${lookupsOf(table)}
  from (
    select (select count(*)::int from flows) as seen, last.account_id as last_account, last.key as last_key
    from (
      (select account_id, key from due where (select count(*) from due) >= $2
       order by account_id desc, key desc limit 1)
      union all
      (select account_id, key from flows where (select count(*) from due) < $2
       order by nth desc limit 1)) as last) as looked
  left join claimed on true`;

type ClaimedTable = Pick<LeasedTable<LeasedItem>, 'name' | 'key' | 'lookups'>;

// $1 worker, $2 seconds of the lease, $3… columns; rows that are taken in as leased are marked, and returned.
function insertStatement(table: Pick<LeasedTable<LeasedItem>, 'name' | 'key' | 'columns' | 'lookups'>) {
  const { name, key, columns } = table;
  const own = Object.keys(columns);
  const types = ['uuid', 'uuid', 'text', 'timestamptz', 'text', 'text', 'bool', ...Object.values(columns)];
  const given = ['id', 'account_id', key, 'due_at', 'state', 'reason', 'leased', ...own];
  return `with claimed as (
      insert into ${name} (id, account_id, ${key}, due_at, state, reason, ${own.map((c) => `${c}, `).join('')}
        attempts, first_attempt_at, lease_owner, lease_token, leased_until)
      select id, account_id, ${key}, due_at, state, reason, ${own.map((c) => `${c}, `).join('')}
        leased::int, case when leased then now() end, case when leased then $1::uuid end, leased::int,
        case when leased then now() + make_interval(secs => $2) end
      from unnest(${types.map((type, nth) => `$${nth + 3}::${type}[]`).join(', ')}) as given(${given.join(', ')})
      on conflict do nothing
      returning id, account_id, ${key} as key, state, first_attempt_at${own.map((c) => `, ${c}`).join('')})
    select claimed.id, claimed.first_attempt_at${lookupsOf(table)} from claimed where claimed.state = 'leased'`;
}

function releaseStatement({ name, columns, releaseColumns = [] }: ReleasedTable) {
  const types = ['uuid', 'bigint', 'timestamptz', 'text', 'text', 'int', 'timestamptz'].concat(
    releaseColumns.map((column) => columns[column] ?? 'text'),
  );
  const given = [
    'id',
    'token',
    'due_at',
    'state',
    'reason',
    'attempts',
    'first_attempt_at',
    ...releaseColumns,
  ];
  const set = given.slice(2).map((column) => `${column} = given.${column}`);
  return `update ${name} q set ${set.join(', ')}, lease_owner = null, leased_until = null
    from unnest(${types.map((type, nth) => `$${nth + 2}::${type}[]`).join(', ')}) as given(${given.join(', ')})
    where ${CLAIMED_BY_ITS_WORKER} returning q.id, q.lease_token::text`;
}

type ReleasedTable = Pick<LeasedTable<LeasedItem>, 'name' | 'columns' | 'releaseColumns'>;
