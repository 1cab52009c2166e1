/**
 * The tables of the embedded bus, in numbered steps that only ever go forward: a step that has been released is never
 * changed, a change is a new step.
 */
export const SCHEMA_STEPS: readonly { step: number; sql: string }[] = [
  {
    step: 1,
    sql: `
create table bus.log (
  stream text not null,
  partition smallint not null,
  position bigint not null generated always as identity,
  envelope text not null,
  written_at timestamptz not null default now(),
  primary key (stream, partition, position)
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);
comment on table bus.log is 'Events, one row each; positions of one stream become visible in order';

create table bus.groups (
  consumer_group text not null,
  stream text not null,
  seen_at timestamptz not null default now(),
  primary key (consumer_group, stream)
);
comment on table bus.groups is 'Who listens to what, and when a member was last seen';

create table bus.cursors (
  consumer_group text not null,
  stream text not null,
  partition smallint not null,
  position bigint not null default 0,
  owner uuid,
  fence bigint not null default 0,
  primary key (consumer_group, stream, partition)
) with (fillfactor = 50);
comment on table bus.cursors is 'Last position handled; the owner writes it, the fence tells an old owner from the new one';

create table bus.members (
  member uuid primary key,
  consumer_group text not null,
  streams text[] not null,
  backend_pid integer,
  backend_start timestamptz,
  seen_at timestamptz not null default now()
);
comment on table bus.members is 'Members of groups; one is dead when its connection is gone or it was silent too long';

-- One call per batch. The lock per stream is held until the commit, so a reader that sees a position has seen, or can
-- see, every lower one of that stream. Locks are taken in one order, so two batches never wait for each other.
create function bus.append(streams text[], partitions smallint[], envelopes text[]) returns void language plpgsql as $$
declare
  one text;
begin
  for one in select s from (select distinct unnest(streams) as s) as named order by hashtext(s), s loop
    perform pg_advisory_xact_lock(727003, hashtext(one));
    perform pg_notify('bus', 'stream:' || one);
  end loop;
  insert into bus.log (stream, partition, envelope) select * from unnest(streams, partitions, envelopes);
end
$$;
`,
  },
];
