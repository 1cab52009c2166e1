import type pg from 'pg';
import { inTransaction } from '../log/connections.js';
import { logTables } from '../log/log-tables.js';

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

${logTables('bus')}
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
