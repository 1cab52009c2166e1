import { setImmediate } from 'node:timers/promises';
import { failureKind } from '@postmesh/contracts';
import pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, testServer } from './postgres.fixture.js';
import { PipelinedClient } from './pipelined-client.js';
import { preparingClient } from './prepared-statements.js';
import { timedClient } from './timed-client.js';

const server = testServer();
let database: DataSource;
/** of a second pool: it sees what is committed */
let other: DataSource;

beforeAll(async () => {
  // one connection: whatever a transaction leaves behind meets the next one
  database = await openTestDatabase(server.url, 1);
  other = await openTestDatabase(server.url);
  await database.query('create table sums (n int primary key, note text)');
});
afterAll(async () => {
  await database?.destroy();
  await other?.destroy();
});
beforeEach(async () => {
  await other.query('truncate sums');
});

const INSERT = 'insert into sums (n) values ($1)';
const sums = async (): Promise<number[]> =>
  (await other.query<{ n: number }[]>('select n from sums order by n')).map(({ n }) => n);
const insert = (tx: EntityManager, n: number): Promise<unknown> => tx.query(INSERT, [n]);

/** How many bytes were sent over the connection of a transaction so far. */
async function bytesSent(tx: EntityManager): Promise<number> {
  const client = (await tx.queryRunner?.connect()) as { connection: { stream: { bytesWritten: number } } };
  return client.connection.stream.bytesWritten;
}

describe('statements of a transaction', () => {
  it('begin without the answer to its start, and know that they are inside of it', async () => {
    await database.transaction(async (tx) => {
      const client = (await tx.queryRunner?.connect()) as pg.Client & { readyForQuery: boolean };
      expect(client.readyForQuery).toBe(false);
      expect(client.getTransactionStatus()).toBe('T');
      await insert(tx, 1);
      expect(client.getTransactionStatus()).toBe('T');
      expect(await sums()).toEqual([]);
    });
    expect(await sums()).toEqual([1]);
  });

  it('that begin in one turn do not wait for the answers of each other', async () => {
    await database.transaction(async (tx) => {
      const before = await bytesSent(tx);
      let isAnswered = false;
      const slow = tx.query('select pg_sleep(0.2)').then(() => (isAnswered = true));
      const second = insert(tx, 1);
      await setImmediate();
      expect(isAnswered).toBe(false);
      expect((await bytesSent(tx)) - before).toBeGreaterThan(INSERT.length);
      await Promise.all([slow, second]);
    });
    expect(await sums()).toEqual([1]);
  });

  it('run in their order and get what TypeORM gives: rows, of changes with their number', async () => {
    const results = await database.transaction((tx) =>
      Promise.all([
        tx.query('insert into sums (n) values (1), (2) returning n'),
        tx.query(`update sums set note = $1 where n > $2 returning n`, ['two', 1]),
        tx.query('select n, note from sums order by n'),
        tx.query('delete from sums'),
        tx.query(''),
      ]),
    );
    const rows = [
      { n: 1, note: null },
      { n: 2, note: 'two' },
    ];
    expect(results).toEqual([[{ n: 1 }, { n: 2 }], [[{ n: 2 }], 1], rows, [[], 2], []]);
  });

  it('may be undone up to a savepoint', async () => {
    await database.transaction(async (tx) => {
      await insert(tx, 1);
      await tx
        .transaction(async (inner) => {
          await insert(inner, 2);
          await insert(inner, 1);
        })
        .catch(() => undefined);
      await insert(tx, 3);
    });
    expect(await sums()).toEqual([1, 3]);
  });

  it('may be undone up to a savepoint while statements behind it wait, of which one would fail', async () => {
    await database.transaction(async (tx) => {
      await insert(tx, 1);
      await tx
        .transaction((inner) => Promise.all([insert(inner, 1), Promise.reject(new Error('at once'))]))
        .catch(() => undefined);
      await insert(tx, 3);
    });
    expect(await sums()).toEqual([1, 3]);
  });
});

/** A database with one connection of this class. */
async function withClient(
  Client: typeof pg.Client,
  work: (dataSource: DataSource) => Promise<void>,
): Promise<void> {
  const extra = { Client, pipeline: true, options: '-c search_path=database_test' };
  const dataSource = new DataSource({
    type: 'postgres',
    url: server.url,
    poolSize: 1,
    installExtensions: false,
    extra,
  });
  await dataSource.initialize();
  try {
    await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

describe('a statement that fails', () => {
  it('is rolled back also when the plans of its connection are old', () =>
    withClient(preparingClient({ maxPlanAgeMs: -1 }), async (dataSource) => {
      const failing = dataSource.transaction((tx) => tx.query('select 1 / 0'));
      await expect(failing).rejects.toThrow('division by zero');
      expect(await dataSource.query('select 7 as n')).toEqual([{ n: 7 }]);
    }));

  it('has those behind it not run, and nothing committed; the connection is good for the next one', async () => {
    const outcomes = await database
      .transaction(async (tx) => {
        const all = await Promise.allSettled([
          insert(tx, 1),
          insert(tx, 1),
          insert(tx, 2),
          tx.query('select 7 as n'),
        ]);
        throw Object.assign(new Error('enough'), { all });
      })
      .catch((error: { all: PromiseSettledResult<unknown>[] }) => error.all);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    const codes = outcomes.slice(1).map((outcome) => (outcome as { reason: { code: string } }).reason.code);
    // unique_violation, then in_failed_sql_transaction
    expect(codes).toEqual(['23505', '25P02', '25P02']);
    expect(await sums()).toEqual([]);
    await database.transaction((tx) => insert(tx, 5));
    expect(await sums()).toEqual([5]);
  });

  it('is prepared all the same, or is not: the next ones know which', async () => {
    const [parsed, unparsed] = [
      'select 10 / $1::int as part',
      'select nothing from nowhere where 1 = $1::int',
    ];
    for (let at = 0; at < 4; at += 1) {
      const work = (divisor: number, ...texts: string[]) =>
        database.transaction((tx) =>
          Promise.all(texts.map((text): Promise<unknown> => tx.query(text, [divisor]))),
        );
      await expect(work(0, parsed, INSERT)).rejects.toThrow('division by zero');
      await expect(work(1, unparsed, parsed, INSERT)).rejects.toThrow('nowhere');
      expect(await work(2, parsed)).toEqual([[{ part: 5 }]]);
      await expect(work(0, parsed, unparsed)).rejects.toThrow('division by zero');
    }
  });

  it('before it is sent, as its value cannot be, leaves the others as they are', async () => {
    const endless: { self?: unknown } = {};
    endless.self = endless;
    const work = database.transaction((tx) =>
      Promise.all([insert(tx, 1), tx.query('select $1::jsonb', [endless]), insert(tx, 2)]),
    );
    await expect(work).rejects.toThrow('circular');
    await database.transaction((tx) => insert(tx, 3));
    expect(await sums()).toEqual([3]);
  });

  it('as its table was changed under it is a conflict, and runs the next time', async () => {
    const read = () => database.transaction((tx) => tx.query('select * from sums where n = $1', [1]));
    await insert(database.manager, 1);
    for (let at = 0; at < 3; at += 1) await read();
    await other.query('alter table sums add column more int');
    try {
      const failure = await read().catch((error: unknown) => error);
      expect(failureKind(failure)).toBe('transient');
      expect(await read()).toEqual([{ n: 1, note: null, more: null }]);
    } finally {
      await other.query('alter table sums drop column more');
    }
  });
});

it('a transaction that cannot start has nothing committed, and loses its connection', () =>
  withClient(preparingClient({ base: timedClient(5_000, PipelinedClient) }), async (dataSource) => {
    const work = dataSource.transaction(async (tx) => {
      const client = (await tx.queryRunner?.connect()) as pg.Client;
      await client.query('select 1 / 0').catch(() => undefined);
      // in an aborted transaction the server refuses it
      await client.query('START TRANSACTION');
      await insert(tx, 1).catch(() => undefined);
      await client.query('ROLLBACK');
      await insert(tx, 2);
    });
    expect(failureKind(await work.catch((error: unknown) => error))).toBe('transient');
    expect(await sums()).toEqual([]);
  }));

it('a transaction without an answer is cut after the time of a statement', () =>
  withClient(preparingClient({ base: timedClient(500) }), async (dataSource) => {
    const silent = dataSource.transaction((tx) => tx.query('select 1, pg_sleep(60)'));
    expect(failureKind(await silent.catch((error: unknown) => error))).toBe('transient');
  }));

describe('the end of a transaction', () => {
  it('fails when the server ends the session, before the commit and in the middle of statements', async () => {
    const superuser = new pg.Client({ connectionString: server.url });
    await superuser.connect();
    const sessionOf = async (tx: EntityManager) => {
      const [{ pid }]: [{ pid: number }] = await tx.query('select pg_backend_pid() as pid');
      const end = () => superuser.query('select pg_terminate_backend($1, 10000)', [pid]);
      const isAsleep = async () =>
        (
          await superuser.query(
            `select from pg_stat_activity where pid = $1 and query like 'select pg_sleep%'`,
            [pid],
          )
        ).rowCount;
      return { end, isAsleep };
    };
    const before = database.transaction(async (tx) => {
      await insert(tx, 1);
      await (await sessionOf(tx)).end();
    });
    expect(failureKind(await before.catch((error: unknown) => error))).toBe('transient');
    const middle = database.transaction(async (tx) => {
      const { end, isAsleep } = await sessionOf(tx);
      const batch = Promise.all([insert(tx, 1), tx.query('select pg_sleep(30)'), insert(tx, 2)]);
      batch.catch(() => undefined);
      await expect.poll(isAsleep).toBe(1);
      await end();
      await batch;
    });
    expect(failureKind(await middle.catch((error: unknown) => error))).toBe('transient');
    await superuser.end();
    await database.transaction((tx) => insert(tx, 9));
    expect(await sums()).toEqual([9]);
  });
});
