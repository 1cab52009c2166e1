/** Accounts whose queue does not follow their state yet. */
export const TO_APPLY = `
  select account_id, revision from account_states
  where applied_revision < revision and state <> 'active' order by account_id limit $1`;

export const APPLIED = `
  update account_states s set applied_revision = given.revision
  from unnest($1::uuid[], $2::bigint[]) as given(account_id, revision)
  where s.account_id = given.account_id and s.applied_revision < given.revision`;

/**
 * Some deliveries of each account. The range and the order make each of them a probe of an index that begins with the
 * account, also where the planner's statistics say that most deliveries in this state are of one account.
 */
const candidates = (state: 'ready' | 'waiting' | 'suspended', where = '') => `
    (select d.id from reasons cross join lateral (
       select id from deliveries
       where state = '${state}' and account_id >= reasons.account_id and account_id <= reasons.account_id
       order by account_id limit $2) d ${where} limit $2)`;

/**
 * Suspends some deliveries of accounts that may not send, removes some of deleted ones. Rows that a worker is claiming
 * are left to the attempt, which checks the state as well.
 * $1 accounts, $2 most, $3 states that suspend, $4 their reasons, $5 seconds of the delivery window
 */
export const SUSPEND = `
  with reasons as materialized (
    select s.account_id, s.state, given.reason
    from account_states s left join unnest($3::text[], $4::text[]) as given(state, reason) using (state)
    where s.account_id = any($1::uuid[]) and (s.state = 'deleted' or given.reason is not null)),
  candidates as materialized (
    ${candidates('ready')} union all ${candidates('waiting')} union all
    ${candidates('suspended', "where reasons.state = 'deleted'")}),
  theirs as materialized (
    select d.id, reasons.state, reasons.reason
    from candidates join deliveries d using (id) join reasons using (account_id)
    where d.state in ('ready', 'waiting', 'suspended') limit $2 for update of d skip locked),
  removed as (
    delete from deliveries d using theirs where d.id = theirs.id and theirs.state = 'deleted'),
  suspended as (
    update deliveries d set state = 'suspended', reason = theirs.reason,
      suspended_until = least(d.expires, coalesce(d.first_attempt_at, d.due_at) + make_interval(secs => $5))
    from theirs where d.id = theirs.id and theirs.reason is not null)
  select count(*)::int as changed from theirs`;

/**
 * Deliveries that are suspended for another reason than the state of their account get that reason. One page of an
 * account at a time, in the order of ids: a search behind the rows that have the reason already would read all of these
 * again in each batch.
 * $1 account, $2 most, $3 states that suspend, $4 their reasons, $5 seconds of the delivery window, $6 the last id
 * @returns the last id of the page; no row at the end
 */
export const SUSPEND_ANEW = `
  with given as materialized (
    select given.reason from account_states s join unnest($3::text[], $4::text[]) as given(state, reason) using (state)
    where s.account_id = $1),
  page as materialized (
    select id, reason from deliveries where account_id = $1 and state = 'suspended' and id > $6 order by id limit $2),
  others as materialized (
    select d.id, given.reason from given cross join page join deliveries d using (id)
    where page.reason is distinct from given.reason and d.state = 'suspended' for update of d skip locked),
  changed as (
    update deliveries d set reason = others.reason,
      suspended_until = least(d.expires, coalesce(d.first_attempt_at, d.due_at) + make_interval(secs => $5))
    from others where d.id = others.id)
  select id from page order by id desc limit 1`;

/** Suspended deliveries whose account may send (again) wait for their old time; one probe per account that has any. */
export const RESUME = `
  with recursive accounts as (
    (select account_id from deliveries where state = 'suspended' order by account_id limit 1)
    union all
    select (select d.account_id from deliveries d where d.state = 'suspended' and d.account_id > accounts.account_id
            order by d.account_id limit 1)
    from accounts where accounts.account_id is not null),
  free as materialized (
    select account_id from accounts where account_id is not null and not exists (
      select from account_states s where s.account_id = accounts.account_id and s.state <> 'active')),
  resumed as materialized (
    select d.id from free join deliveries d on d.state = 'suspended' and d.account_id = free.account_id
    limit $1 for update of d skip locked)
  update deliveries d set state = 'waiting', suspended_until = null, reason = 'its account may send again'
  from resumed where d.id = resumed.id`;

/**
 * Suspended deliveries whose time is over are due: the attempt sees that their window has ended, and ends them.
 * $1 most, $2 seconds of the delivery window
 */
export const EXPIRE = `
  update deliveries d set state = 'waiting', due_at = now(), suspended_until = null,
    first_attempt_at = coalesce(d.first_attempt_at, d.suspended_until - make_interval(secs => $2)),
    reason = 'its time ran out while its account could not send'
  from (select id from deliveries where state = 'suspended' and suspended_until <= now()
        order by suspended_until limit $1 for update skip locked) as over
  where d.id = over.id`;
