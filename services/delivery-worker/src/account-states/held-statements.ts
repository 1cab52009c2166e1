/** Accounts whose queue does not follow their state yet. */
export const TO_APPLY = `
  select account_id, revision from account_states
  where applied_revision < revision and state <> 'active' order by account_id limit $1`;

export const APPLIED = `
  update account_states s set applied_revision = given.revision
  from unnest($1::uuid[], $2::bigint[]) as given(account_id, revision)
  where s.account_id = given.account_id and s.applied_revision < given.revision`;

/**
 * One page of the queue in the order of ids: holds what belongs to accounts that may not send, removes what belongs to
 * deleted ones. Whatever a worker is just claiming is left to the claim, which looks at the state as well.
 * $1 accounts, $2 after this id, $3 page, $4 states that hold, $5 their reasons, $6 seconds of the delivery window
 */
export const APPLY_PAGE = `
  with page as materialized (select id, send_request_id from deliveries where id > $2 order by id limit $3),
  theirs as materialized (
    select d.id, l.account_id, l.expires, s.state, holding.reason
    from page join messages l using (send_request_id)
    join account_states s using (account_id)
    join deliveries d on d.id = page.id
    left join unnest($4::text[], $5::text[]) as holding(state, reason) on holding.state = s.state
    where l.account_id = any($1::uuid[]) and d.state in ('waiting', 'held')
    for update of d skip locked),
  removed as (
    delete from deliveries d using theirs where d.id = theirs.id and theirs.state = 'deleted'),
  held as (
    update deliveries d set state = 'held', reason = theirs.reason, held_for = theirs.account_id,
      held_until = least(theirs.expires, coalesce(d.first_attempt_at, d.due_at) + make_interval(secs => $6))
    from theirs where d.id = theirs.id and theirs.reason is not null
      and (d.state = 'waiting' or d.reason <> theirs.reason))
  select count(*)::int as seen, (select id from page order by id desc limit 1) as last from page`;

/** Held deliveries whose account may send (again) wait for their old time; one probe per account that has any. */
export const RESUME = `
  with recursive accounts as (
    (select held_for from deliveries where state = 'held' order by held_for limit 1)
    union all
    select (select d.held_for from deliveries d where d.state = 'held' and d.held_for > accounts.held_for
            order by d.held_for limit 1)
    from accounts where accounts.held_for is not null),
  free as materialized (
    select held_for from accounts where held_for is not null and not exists (
      select from account_states s where s.account_id = held_for and s.state <> 'active')),
  resumed as materialized (
    select d.id from free join deliveries d on d.state = 'held' and d.held_for = free.held_for
    limit $1 for update of d skip locked)
  update deliveries d set state = 'waiting', held_for = null, held_until = null, reason = 'its account may send again'
  from resumed where d.id = resumed.id`;

/**
 * Held deliveries whose time is over are due: the attempt sees that their window has ended, and ends them.
 * $1 most, $2 seconds of the delivery window
 */
export const EXPIRE = `
  update deliveries d set state = 'waiting', due_at = now(), held_for = null, held_until = null,
    first_attempt_at = coalesce(d.first_attempt_at, d.held_until - make_interval(secs => $2)),
    reason = 'its time ran out while its account could not send'
  from (select id from deliveries where state = 'held' and held_until <= now()
        order by held_until limit $1 for update skip locked) as over
  where d.id = over.id`;
