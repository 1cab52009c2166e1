// @ts-check
// The tables of a life of the log, with triggers that see what a look at its end does not: what was appended, and positions
// and removals that must not be.
import pg from 'pg';
import { createEmbeddedBus, OUTBOX_MIGRATIONS } from '../../../libs/events/dist/index.js';

/** As no service may: in schemas of others. @param {string} url @param {string} sql */
async function watch(url, sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/** @param {'bus' | 'accounts'} schema of the log */
const watched = (schema) => `
  create table ${schema}.appended (stream text, position bigint, envelope text not null, written_at timestamptz not null default now());
  create table ${schema}.trimmed (stream text, position bigint, groups text[] not null);
  create table ${schema}.breaches (rule text not null, what text not null);
  create function ${schema}.on_append() returns trigger language plpgsql security definer as $$ begin
    insert into ${schema}.appended (stream, position, envelope) values (new.stream, new.position, new.envelope);
    return null;
  end $$;
  create trigger on_append after insert on ${schema}.log for each row execute function ${schema}.on_append();
  create function ${schema}.on_trim() returns trigger language plpgsql security definer as $$ begin
    insert into ${schema}.trimmed
      select old.stream, old.position, coalesce(array_agg(consumer_group), '{}') from ${schema}.groups where stream = old.stream;
    insert into ${schema}.breaches select 'trimmed', old.stream || '/' || old.position || ' is removed, ' || g.consumer_group || ' is at ' ||
        least(g.position, p.position)
      from ${schema}.groups g
        left join (select 'messages' as name, * from messages.bus_positions union all
          select 'marketing', * from marketing.bus_positions) p on p.name = g.consumer_group and p.stream = g.stream
      where g.stream = old.stream and least(g.position, p.position) < old.position;
    return null;
  end $$;
  create trigger on_trim after delete on ${schema}.log for each row execute function ${schema}.on_trim();
  create function ${schema}.on_copy() returns trigger language plpgsql security definer as $$ begin
    if tg_op = 'UPDATE' and new.position < old.position then
      insert into ${schema}.breaches values ('backwards', new.consumer_group || ' goes back in ' || new.stream || ' from ' || old.position || ' to ' || new.position);
    end if;
    insert into ${schema}.breaches select 'ahead', new.consumer_group || ' is at ' || p.position || ' of ' || new.stream || ', its copy at ' || new.position
      from (select 'messages' as name, * from messages.bus_positions union all
        select 'marketing', * from marketing.bus_positions) p
      where p.name = new.consumer_group and p.stream = new.stream and p.position < new.position;
    return null;
  end $$;
  create trigger on_copy after insert or update on ${schema}.groups for each row execute function ${schema}.on_copy();`;

/** @param {string} schema */
const handling = (schema) => `
  create table ${schema}.effects (id bigint generated always as identity primary key, n int not null, at timestamptz not null default now());
  create function ${schema}.on_move() returns trigger language plpgsql security definer as $$ begin
    if new.position < old.position and new.log = old.log then
      insert into bus.breaches values ('backwards', '${schema} goes back in ' || new.stream || ' from ' || old.position || ' to ' || new.position);
    end if;
    return null;
  end $$;
  create trigger on_move after update on ${schema}.bus_positions for each row execute function ${schema}.on_move();`;

const TABLES = [
  'outbox',
  'inbox',
  'log',
  'groups',
  'dead_letters',
  'bus_positions',
  'consumer_runs',
  'event_crashes',
];

/** @param {string} schema of a group @returns {import('../store.mjs').Database} */
const groupOf = (schema) => ({
  schema,
  migrations: OUTBOX_MIGRATIONS,
  prepare: (url) => watch(url, handling(schema)),
  tables: [...TABLES, 'effects'],
  vacuumed: ['inbox', 'dead_letters', 'bus_positions', 'consumer_runs', 'event_crashes', 'effects'],
  sequences: ['effects_id_seq', 'dead_letters_id_seq'],
  sessions: 18,
});

/** @type {readonly import('../store.mjs').Database[]} */
export const DATABASES = [
  groupOf('messages'),
  groupOf('marketing'),
  {
    schema: 'bus',
    migrations: [],
    prepare: async (url) => {
      await (await createEmbeddedBus({ url })).close();
      await watch(
        url,
        `update bus.identity set log = '01980f3e-5b7a-7c11-8000-000000000000';${watched('bus')}`,
      );
    },
    tables: ['log', 'groups', 'appended', 'trimmed', 'breaches'],
    vacuumed: ['log', 'groups', 'appended', 'trimmed'],
    sequences: ['log_position_seq'],
    sessions: 0,
  },
  {
    schema: 'accounts',
    migrations: OUTBOX_MIGRATIONS,
    prepare: (url) =>
      watch(url, `create table accounts.changes (name text primary key);${watched('accounts')}`),
    tables: [...TABLES, 'stream_marks', 'changes', 'appended', 'trimmed', 'breaches'],
    vacuumed: ['log', 'groups', 'stream_marks', 'changes', 'appended', 'trimmed'],
    sequences: ['log_position_seq'],
    sessions: 18,
  },
];
