import { failureKind } from '@postmesh/contracts';
import pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atCommit, batchedTransaction } from './batched-transaction.js';
import { openTestDatabase, testServer } from './postgres.fixture.js';
import { preparingClient, type PreparingClient } from './prepared-statements.js';
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

interface Driver {
  connection: { stream: { _write: Write; _writev: Write } };
}
type Write = (...given: unknown[]) => void;

/** How many times something is written to the connection of the database. */
async function writesOf(work: () => Promise<unknown>): Promise<number> {
  const runner = database.createQueryRunner();
  const { stream } = ((await runner.connect()) as Driver).connection;
  await runner.release();
  let writes = 0;
  const { _write, _writev } = stream;
  const counting =
    (write: Write): Write =>
    (...given) => {
      writes += 1;
      write.apply(stream, given);
    };
  // several pieces together, and a piece alone
  Object.assign(stream, { _write: counting(_write), _writev: counting(_writev) });
  try {
    await work();
  } finally {
    Object.assign(stream, { _write, _writev });
  }
  return writes;
}

describe('statements of a transaction', () => {
  it('that begin in one turn are one write, with the beginning; the last ones go with the commit', async () => {
    const work = () =>
      batchedTransaction(database, async (tx) => {
        await Promise.all([1, 2, 3].map((n) => insert(tx, n)));
        await atCommit(tx).query(INSERT, [4]);
      });
    expect(await writesOf(work)).toBe(2);
    expect(await sums()).toEqual([1, 2, 3, 4]);
    // prepared by now
    await other.query('truncate sums');
    expect(await writesOf(work)).toBe(2);
    expect(await sums()).toEqual([1, 2, 3, 4]);
  });

  it('that wait for the result of others are written behind it', async () => {
    const work = () =>
      batchedTransaction(database, async (tx) => {
        await insert(tx, 1);
        const [row]: { n: number }[] = await tx.query('select max(n) + 1 as n from sums');
        await insert(tx, row!.n);
      });
    expect(await writesOf(work)).toBe(4);
    expect(await sums()).toEqual([1, 2]);
  });

  it('run in their order and get the results of TypeORM: rows, and the number of changed ones', async () => {
    const results = await batchedTransaction(database, (tx) =>
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

  it('are nothing at all where there are none', async () => {
    expect(await writesOf(() => batchedTransaction(database, () => Promise.resolve(7)))).toBe(0);
  });

  it('reach the logger of TypeORM, which counts them', async () => {
    const logged: string[] = [];
    const { logger } = database;
    const { logQuery } = logger;
    logger.logQuery = (text) => void logged.push(text);
    await batchedTransaction(database, (tx) => insert(tx, 1)).finally(() => (logger.logQuery = logQuery));
    expect(logged).toContain(INSERT);
  });

  it('may be undone up to a savepoint', async () => {
    await batchedTransaction(database, async (tx) => {
      await insert(tx, 1);
      await tx
        .transaction(async (inner) => {
          await insert(inner, 2);
          await atCommit(inner).query(INSERT, [4]);
          await insert(inner, 1);
        })
        .catch(() => undefined);
      await insert(tx, 3);
    });
    expect(await sums()).toEqual([1, 3]);
  });

  it('may be undone up to a savepoint while statements behind it wait, of which one would fail', async () => {
    await batchedTransaction(database, async (tx) => {
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
  const extra = { Client, options: '-c search_path=database_test' };
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
      const failing = batchedTransaction(dataSource, (tx) => tx.query('select 1 / 0'));
      await expect(failing).rejects.toThrow('division by zero');
      expect(await dataSource.query('select 7 as n')).toEqual([{ n: 7 }]);
    }));

  it('and cannot be rolled back: its connection does not return to the pool', () => {
    class Unreturning extends (preparingClient() as unknown as new () => pg.Client & PreparingClient) {
      override queryTogether(...[statements, done]: Parameters<PreparingClient['queryTogether']>): void {
        if (statements[0]?.text !== 'ROLLBACK') return super.queryTogether(statements, done);
        statements[0].reject(new Error('no'));
        done();
      }
    }
    return withClient(Unreturning as unknown as typeof pg.Client, async (dataSource) => {
      await expect(batchedTransaction(dataSource, (tx) => tx.query('select 1 / 0'))).rejects.toThrow('zero');
      expect(await dataSource.query('select 7 as n')).toEqual([{ n: 7 }]);
    });
  });

  it('has those behind it not run, and nothing committed; the connection is good for the next one', async () => {
    const outcomes = await batchedTransaction(database, async (tx) => {
      const all = await Promise.allSettled([
        insert(tx, 1),
        insert(tx, 1),
        insert(tx, 2),
        tx.query('select 7 as n'),
      ]);
      throw Object.assign(new Error('enough'), { all });
    }).catch((error: { all: PromiseSettledResult<unknown>[] }) => error.all);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    for (const outcome of outcomes.slice(1)) expect(outcome).toMatchObject({ reason: { code: '23505' } });
    expect(await sums()).toEqual([]);
    await batchedTransaction(database, (tx) => insert(tx, 5));
    expect(await sums()).toEqual([5]);
  });

  it('among those that go with the commit has nothing committed, and the commit fails with its error', async () => {
    const work = batchedTransaction(database, async (tx) => {
      await insert(tx, 1);
      await atCommit(tx).query(INSERT, [1]);
    });
    await expect(work).rejects.toMatchObject({ code: '23505' });
    expect(await sums()).toEqual([]);
  });

  it('and that was swallowed has the commit fail instead of passing for one', async () => {
    const swallowing = (last: (tx: EntityManager) => Promise<void>) =>
      batchedTransaction(database, async (tx) => {
        await insert(tx, 1);
        await tx.query('select 1 / 0').catch(() => undefined);
        await last(tx);
      });
    await expect(swallowing(() => Promise.resolve())).rejects.toThrow('aborted');
    await expect(swallowing((tx) => atCommit(tx).query(INSERT, [2]))).rejects.toThrow('aborted');
    expect(await sums()).toEqual([]);
  });

  it('is prepared all the same, or is not: the next ones know which', async () => {
    const [parsed, unparsed] = [
      'select 10 / $1::int as part',
      'select nothing from nowhere where 1 = $1::int',
    ];
    for (let at = 0; at < 4; at += 1) {
      const work = (divisor: number, ...texts: string[]) =>
        batchedTransaction(database, (tx) =>
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
    const work = batchedTransaction(database, (tx) =>
      Promise.all([insert(tx, 1), tx.query('select $1::jsonb', [endless]), insert(tx, 2)]),
    );
    await expect(work).rejects.toThrow('circular');
    const atTheEnd = batchedTransaction(database, async (tx) => {
      await insert(tx, 1);
      await atCommit(tx).query('select $1::jsonb', [endless]);
    });
    await expect(atTheEnd).rejects.toThrow('circular');
    await batchedTransaction(database, (tx) => insert(tx, 3));
    expect(await sums()).toEqual([3]);
  });

  it('as its table was changed under it is a conflict, and runs the next time', async () => {
    const read = () => batchedTransaction(database, (tx) => tx.query('select * from sums where n = $1', [1]));
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

it('statements that travel together may each take the time of one', () =>
  withClient(preparingClient({ base: timedClient(1_200) }), async (dataSource) => {
    const slow = (tx: EntityManager) => tx.query('select pg_sleep(0.7)');
    await batchedTransaction(dataSource, (tx) => Promise.all([slow(tx), slow(tx)]));
    const silent = batchedTransaction(dataSource, (tx) => tx.query('select 1, pg_sleep(60)'));
    expect(failureKind(await silent.catch((error: unknown) => error))).toBe('transient');
  }));

describe('the end of a transaction', () => {
  it('refuses statements for a commit that is over', async () => {
    let late: EntityManager | undefined;
    await batchedTransaction(database, async (tx) => {
      late = tx;
      await insert(tx, 1);
    });
    await expect(atCommit(late as EntityManager).query(INSERT, [2])).rejects.toThrow('after the end');
    expect(await sums()).toEqual([1]);
  });

  it('refuses later statements, so that nothing is written outside of it', async () => {
    let late: Promise<unknown> | undefined;
    const failing = batchedTransaction(database, async (tx) => {
      const first = insert(tx, 1).then(() => insert(tx, 2));
      late = first.then(() => insert(tx, 3));
      late.catch(() => undefined);
      await first;
      throw new Error('over');
    });
    await expect(failing).rejects.toThrow('over');
    await expect(late).rejects.toThrow(/rolled back|after the end/);
    expect(await sums()).toEqual([]);
  });

  it('is no commit while a statement is not answered', async () => {
    let forgotten: Promise<unknown> | undefined;
    const work = batchedTransaction(database, async (tx) => {
      forgotten = insert(tx, 1);
      forgotten.catch(() => undefined);
    });
    await expect(work).rejects.toThrow('while statements of it run');
    await forgotten?.catch(() => undefined);
    expect(await sums()).toEqual([]);
  });

  it('fails when the server ends the session, before the commit and in the middle of a batch', async () => {
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
    const before = batchedTransaction(database, async (tx) => {
      await insert(tx, 1);
      await (await sessionOf(tx)).end();
    });
    expect(failureKind(await before.catch((error: unknown) => error))).toBe('transient');
    const middle = batchedTransaction(database, async (tx) => {
      const { end, isAsleep } = await sessionOf(tx);
      const batch = Promise.all([insert(tx, 1), tx.query('select pg_sleep(30)'), insert(tx, 2)]);
      batch.catch(() => undefined);
      await expect.poll(isAsleep).toBe(1);
      await end();
      await batch;
    });
    expect(failureKind(await middle.catch((error: unknown) => error))).toBe('transient');
    await superuser.end();
    await batchedTransaction(database, (tx) => insert(tx, 9));
    expect(await sums()).toEqual([9]);
  });
});
