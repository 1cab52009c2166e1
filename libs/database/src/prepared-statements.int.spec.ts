import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { failureKind } from '@postmesh/contracts';
import { openTestDatabase, testServer } from './postgres.fixture.js';
import { preparingClient, UNNAMED, type PreparingOptions } from './prepared-statements.js';
import { timedClient } from './timed-client.js';

const server = testServer();
const pools: pg.Pool[] = [];

/** A pool of one connection, so that every statement is run on the same one. */
function onePool(options: PreparingOptions = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: server.url, max: 1, Client: preparingClient(options) });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});

interface Prepared {
  statement: string;
  generic: string;
  custom: string;
}

const prepared = async (pool: Pick<pg.Pool, 'query'>): Promise<Prepared[]> =>
  (
    await pool.query<Prepared>(
      'select statement, generic_plans as generic, custom_plans as custom from pg_prepared_statements order by name',
    )
  ).rows;

const times = async (count: number, work: () => Promise<unknown>): Promise<void> => {
  for (let at = 0; at < count; at += 1) await work();
};

describe('statements with parameters', () => {
  it('are prepared once per connection, from their second use on', async () => {
    const pool = onePool();
    const text = 'select $1::int + 1 as sum';
    await pool.query(text, [1]);
    expect(await prepared(pool)).toEqual([]);
    await times(10, () => pool.query(text, [1]));
    const [only, ...others] = await prepared(pool);
    expect(only?.statement).toBe(text);
    expect(Number(only?.generic) + Number(only?.custom)).toBe(10);
    expect(others).toEqual([]);
  });

  it('are prepared up to the bound', async () => {
    const pool = onePool({ maxStatements: 3 });
    for (let at = 0; at < 10; at += 1) await times(2, () => pool.query(`select $1::int + ${at}`, [1]));
    expect(await prepared(pool)).toHaveLength(3);
  });

  it('are not prepared without parameters, nor when they ask for it', async () => {
    const pool = onePool();
    await times(3, () => pool.query('select 1'));
    await times(3, () => pool.query(`${UNNAMED} select $1::int`, [1]));
    expect(await prepared(pool)).toEqual([]);
  });

  it('work with a callback, and after an error', async () => {
    const pool = onePool();
    const text = 'select 10 / $1::int as part';
    await times(3, () => pool.query(text, [2]));
    await expect(pool.query(text, [0])).rejects.toThrow('division by zero');
    await expect(pool.query(text, ['x'])).rejects.toThrow('invalid input syntax');
    const client = await pool.connect();
    const rows = await new Promise((resolve, reject) => {
      client.query<{ part: number }>(text, [5], (error, result) =>
        error ? reject(error) : resolve(result.rows),
      );
    });
    const error = await new Promise((resolve) => {
      client.query(text, [0], (failure) => resolve(failure));
    });
    client.release();
    expect(rows).toEqual([{ part: 2 }]);
    expect(error).toMatchObject({ code: '22012' });
  });
});

describe('plans', () => {
  const SCAN = 'select seq_scan from pg_stat_user_tables where relname = $1';

  /** A queue that was empty when its plan was made and has filled up since. */
  async function fillUnderPlan(pool: pg.Pool): Promise<void> {
    await pool.query('drop table if exists filling');
    await pool.query('create table filling (id int primary key) with (autovacuum_enabled = off)');
    await pool.query('vacuum analyze filling');
    await times(10, () => pool.query('select * from filling where id = $1', [1]));
    await pool.query('insert into filling select generate_series(1, 20000)');
  }

  const readsAll = async (pool: pg.Pool): Promise<boolean> => {
    const scans = async () => {
      await pool.query('select pg_stat_force_next_flush()');
      const { rows } = await pool.query<{ seq_scan: string }>(`${UNNAMED} ${SCAN}`, ['filling']);
      return Number(rows[0]?.seq_scan);
    };
    const before = await scans();
    await pool.query('select * from filling where id = $1', [1]);
    return (await scans()) > before;
  };

  it('made for an empty table are not kept for the full one', async () => {
    const pool = onePool({ maxPlanAgeMs: 0 });
    await fillUnderPlan(pool);
    expect(await readsAll(pool)).toBe(false);
  });

  it('would be kept otherwise', async () => {
    const pool = onePool({ maxPlanAgeMs: 3_600_000 });
    await fillUnderPlan(pool);
    expect(await readsAll(pool)).toBe(true);
  });
});

describe('a table that changes under a prepared statement', () => {
  const text = 'select * from changing where id = $1';

  async function prepareThenChange(pool: pg.Pool): Promise<void> {
    await pool.query('drop table if exists changing; create table changing (id int)');
    await pool.query('insert into changing values (1)');
    await times(3, () => pool.query(text, [1]));
    await pool.query("alter table changing add column more text default 'new'");
  }

  it('is read as it is now', async () => {
    const pool = onePool();
    await prepareThenChange(pool);
    expect((await pool.query(text, [1])).rows).toEqual([{ id: 1, more: 'new' }]);
    await pool.query('alter table changing drop column more');
    expect((await pool.query(text, [1])).rows).toEqual([{ id: 1 }]);
  });

  it('fails a transaction as one to be run again, which then succeeds', async () => {
    const pool = onePool();
    await prepareThenChange(pool);
    await pool.query('begin');
    const failed = pool.query(text, [1]);
    await expect(failed).rejects.toMatchObject({ code: '40001' });
    expect(failureKind(await failed.catch((error: unknown) => error))).toBe('transient');
    await pool.query('rollback; begin');
    expect((await pool.query(text, [1])).rows).toEqual([{ id: 1, more: 'new' }]);
    await pool.query('rollback');
  });

  it('is found through another search path', async () => {
    const pool = onePool();
    await pool.query(
      'create schema other; create table other.placed (name text); create table placed (name text)',
    );
    await pool.query("insert into placed values ('public'); insert into other.placed values ('other')");
    const named = 'select name from placed where name <> $1';
    await times(8, () => pool.query(named, ['']));
    await pool.query('set search_path = other');
    expect((await pool.query(named, [''])).rows).toEqual([{ name: 'other' }]);
  });
});

describe('the database of a service', () => {
  let database: DataSource;
  beforeAll(async () => {
    database = await openTestDatabase(server.url, 1);
  });
  afterAll(() => database.destroy());

  it('prepares statements of managers, in transactions and outside', async () => {
    const text = 'select $1::text as kept';
    await times(2, () => database.query(text, ['x']));
    await times(2, () => database.transaction((manager) => manager.query(text, ['x'])));
    const kept: Prepared[] = await database.query(
      `select statement, generic_plans as generic, custom_plans as custom from pg_prepared_statements
        where statement not like '%pg_%'`,
    );
    expect(kept).toEqual([{ statement: text, generic: '0', custom: '3' }]);
  });
});

describe('a server that does not answer', () => {
  it('costs its caller a bounded time, and the pool one connection', async () => {
    const pool = onePool({ base: timedClient(1_000) });
    const first = await pool.connect();
    const lost = new Promise((resolve) => first.once('error', resolve));
    const failure = await first.query('select pg_sleep(60)').catch((error: unknown) => error);
    expect(failureKind(failure)).toBe('transient');
    await lost;
    first.release();
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('may take longer in a transaction with a longer statement_timeout', async () => {
    const pool = onePool({ base: timedClient(1_000) });
    const client = await pool.connect();
    await client.query('begin');
    await client.query(`set local statement_timeout = '10s'`);
    await client.query('select pg_sleep(2)');
    await client.query('commit');
    const lost = new Promise((resolve) => client.once('error', resolve));
    await expect(client.query('select pg_sleep(60)')).rejects.toThrow('did not answer');
    await lost;
    client.release();
  });
});
