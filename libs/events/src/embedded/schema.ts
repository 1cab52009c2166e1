import type pg from 'pg';
import { inTransaction } from './connections.js';

const SCHEMA_LOCK = 727_001;

/**
 * The tables of the embedded bus, in numbered steps that only ever go forward: a step that has been released is never
 * changed, a change is a new step.
 */
const SCHEMA_STEPS: readonly { step: number; sql: string }[] = [
  {
    step: 1,
    sql: `
create table bus.identity (
  log uuid primary key default gen_random_uuid(),
  only_one boolean not null default true unique check (only_one)
);
comment on table bus.identity is 'Tells this log from any other: positions of one mean nothing in another';
insert into bus.identity default values;

-- The sequence must not be cached: positions have to be drawn under the lock of their stream.
create table bus.log (
  stream text not null,
  position bigint not null generated always as identity (cache 1),
  envelope text not null,
  relayed boolean not null,
  written_at timestamptz not null default now(),
  primary key (stream, position)
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);
comment on table bus.log is 'Events, one row each; positions of one stream become visible in order';
comment on column bus.log.relayed is 'It came through an outbox, which may publish twice';

create table bus.groups (
  consumer_group text not null,
  stream text not null,
  position bigint not null default 0,
  seen_at timestamptz not null default now(),
  primary key (consumer_group, stream)
) with (fillfactor = 50);
comment on table bus.groups is 'How far each group has read, for lag and trimming: the truth may be in the schema of its service';

-- One call per transaction, its last statement. The lock per stream is held until the commit, and PostgreSQL makes a
-- commit visible before it gives the locks back: a reader that sees a position has seen, or can see, every lower one of
-- that stream. Locks are taken in one order, so two transactions never wait for each other. Nobody is notified here:
-- NOTIFY takes a lock of the whole server from before the commit until after its fsync.
create function bus.append(streams text[], envelopes text[], relayed boolean) returns void
language plpgsql security definer set search_path = pg_catalog as $$
declare
  one text;
begin
  for one in select s from (select distinct unnest(streams) as s) as named order by hashtext(s), s loop
    perform pg_advisory_xact_lock(727003, hashtext(one));
  end loop;
  insert into bus.log (stream, envelope, relayed)
  select given.stream, given.envelope, append.relayed
  from unnest(streams, envelopes) with ordinality as given(stream, envelope, at) order by given.at;
end
$$;
-- The services' roles may append and nothing else.
grant usage on schema bus to public;
`,
  },
];

/** Brings the schema `bus` up to date; processes that start together take turns. @returns the id of the log */
export function prepareBusSchema(pool: pg.Pool): Promise<string> {
  return inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1, 0)', [SCHEMA_LOCK]);
    await client.query('create schema if not exists bus');
    await client.query(
      'create table if not exists bus.steps (step integer primary key, done_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ step: number }>('select step from bus.steps');
    const done = new Set(rows.map((row) => row.step));
    for (const { step, sql } of SCHEMA_STEPS.filter((one) => !done.has(one.step))) {
      await client.query(sql);
      await client.query('insert into bus.steps (step) values ($1)', [step]);
    }
    const identity = await client.query<{ log: string }>('select log from bus.identity');
    return identity.rows[0]?.log ?? '';
  });
}
