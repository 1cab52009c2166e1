import type pg from 'pg';
import { inTransaction } from '../transaction.js';
import { SCHEMA_STEPS } from './steps.js';

const SCHEMA_LOCK = 727_001;

/** Brings the schema `bus` up to date; processes that start together take turns. Safe to call at every start. */
export async function prepareBusSchema(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
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
  });
}
