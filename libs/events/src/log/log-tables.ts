// Logs in one database do not wait for each other. That of the bus was the only one at first.
const lockOf = (schema: string): string => (schema === 'bus' ? 'one' : `'${schema}.' || one`);

/**
 * SQL: the tables of a log, the same in the schema `bus` of the embedded bus and in the schema of a service whose
 * relay publishes to a bus elsewhere. Released: a change is a new migration of both.
 */
export const logTables = (schema: string): string => `
-- The sequence must not be cached: positions have to be drawn under the lock of their stream.
create table ${schema}.log (
  stream text not null,
  position bigint not null generated always as identity (cache 1),
  envelope text not null,
  relayed boolean not null,
  written_at timestamptz not null default now(),
  primary key (stream, position)
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);
comment on table ${schema}.log is 'Events, one row each; positions of one stream become visible in order';
comment on column ${schema}.log.relayed is 'It came through an outbox, which may publish twice';

create table ${schema}.groups (
  consumer_group text not null,
  stream text not null,
  position bigint not null default 0,
  seen_at timestamptz not null default now(),
  primary key (consumer_group, stream)
) with (fillfactor = 50);
comment on table ${schema}.groups is 'How far each group has read, for lag and trimming: the truth may be in the schema of its service';

-- One call per transaction, its last statement. The lock per stream is held until the commit, and PostgreSQL makes a
-- commit visible before it gives the locks back: a reader that sees a position has seen, or can see, every lower one of
-- that stream. Locks are taken in one order, so two transactions never wait for each other. No NOTIFY is sent
-- here: it takes a lock of the whole server from before the commit until after its fsync.
create function ${schema}.append(streams text[], envelopes text[], relayed boolean) returns void
language plpgsql security definer set search_path = pg_catalog as $$
declare
  one text;
begin
  for one in select s from (select distinct unnest(streams) as s) as named order by hashtext(s), s loop
    perform pg_advisory_xact_lock(727003, hashtext(${lockOf(schema)}));
  end loop;
  insert into ${schema}.log (stream, envelope, relayed)
  select given.stream, given.envelope, append.relayed
  from unnest(streams, envelopes) with ordinality as given(stream, envelope, at) order by given.at;
end
$$;`;
