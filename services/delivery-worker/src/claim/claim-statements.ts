/** Destinations that one spread claim looks at. */
export const MOST_LANES = 500;

// $1 worker, $2 most deliveries, $3 seconds of the lease, $4 destinations with attempts under way, $5 their rooms,
// $6 the room of any other destination.
const BUSY = 'unnest($4::text[], $5::int[]) as busy(destination, room)';

// Whoever locks a row first has it; whoever comes later looks at the next one.
const LEASE = `
  held as materialized (
    select waiting.id from fitting join deliveries waiting using (id)
    where waiting.state = 'waiting'
    order by fitting.due_at limit $2 for update of waiting skip locked),
  claimed as (
    update deliveries d set state = 'leased', lease_owner = $1, lease_token = d.lease_token + 1,
      lease_until = now() + make_interval(secs => $3), attempt = d.attempt + 1,
      first_attempt_at = coalesce(d.first_attempt_at, now()), reason = 'an attempt is under way'
    from held where d.id = held.id
    returning d.id, d.send_request_id, d.recipient, d.destination, d.attempt, d.first_attempt_at, d.lease_token)`;

const WITH_MESSAGE = `
  select looked.*, c.*, l.account_id, l.domain_id, l.domain, l.sender, l.subject, l.message_id_header, l.content_id,
    l.size, l.return_path_host, l.expires, l.sandbox, account.state as account_state`;

/** The oldest due deliveries; $7 = how many of them are looked at. */
export const CLAIM_OLDEST = `
  with head as materialized (
    select id, destination, due_at from deliveries
    where state = 'waiting' and due_at <= now() order by due_at limit $7),
  fitting as materialized (
    select id, due_at from (
      select head.id, head.due_at, coalesce(busy.room, $6) as room,
        row_number() over (partition by head.destination order by head.due_at) as nth
      from head left join ${BUSY} using (destination)) as ranked
    where nth <= room),
  ${LEASE}
  ${WITH_MESSAGE}
  from (select count(*)::int as seen from head) as looked
  left join (claimed c join messages l using (send_request_id)
    left join account_states account using (account_id)) on true`;

/** Due deliveries of the next destinations after $7, by the alphabet: one index probe for each. */
export const CLAIM_SPREAD = `
  with recursive lanes as (
    (select destination, 1 as nth from deliveries
     where state = 'waiting' and destination > $7 order by destination limit 1)
    union all
    select (select next.destination from deliveries next
            where next.state = 'waiting' and next.destination > lanes.destination
            order by next.destination limit 1), nth + 1
    from lanes where lanes.destination is not null and nth < ${MOST_LANES}),
  fitting as materialized (
    select due.id, due.due_at, lanes.destination
    from lanes left join ${BUSY} using (destination)
    cross join lateral (
      select d.id, d.due_at from deliveries d
      where d.state = 'waiting' and d.destination = lanes.destination and d.due_at <= now()
      order by d.due_at limit coalesce(busy.room, $6)) as due
    where lanes.destination is not null
    limit $2),
  ${LEASE}
  ${WITH_MESSAGE}
  from (
    select count(*)::int as seen,
      case when (select count(*) from fitting) < $2 then max(destination)
           else (select max(destination) from fitting) end as last
    from lanes) as looked
  left join (claimed c join messages l using (send_request_id)
    left join account_states account using (account_id)) on true`;
