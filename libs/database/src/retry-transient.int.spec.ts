import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { failureKind } from '@postmesh/contracts';
import { createLogger } from '@postmesh/observability';
import pg from 'pg';
import type { EntityManager } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from './data-source.js';
import { freePort } from './embedded-postgres/start.js';
import { retryTransient } from './retry-transient.js';
import { testServer } from './postgres.fixture.js';
import { timedClient } from './timed-client.js';

const server = testServer();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const silent = createLogger({ logLevel: 'silent' }, 'retry-test');
const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const busy = () => new Error('Connection terminated due to connection timeout');

describe('a step of a start', () => {
  it('is tried again while the database is unavailable or too busy to answer', async () => {
    const failures = [away(), busy()];
    const said: object[] = [];
    const logger = { warn: (line: object) => void said.push(line) };
    const step = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return 'there';
    };
    expect(await retryTransient(step, { what: 'accounts', logger: logger as never })).toBe('there');
    expect(said).toMatchObject([1, 2].map((count) => ({ event: 'database.awaited', failures: count })));
  });

  it('names the awaited service, and ends with an error that its caller calls final', async () => {
    const failures = [away(), busy()];
    const said: object[] = [];
    const logger = { warn: (line: object) => void said.push(line) };
    const step = () => Promise.reject(failures.shift());
    const isFinal = (error: unknown) => failures.length === 0 && error instanceof Error;
    const waiting = { what: 'the event bus', logger: logger as never, awaited: 'kafka', isFinal } as const;
    await expect(retryTransient(step, waiting)).rejects.toThrow('connection timeout');
    expect(said).toMatchObject([{ event: 'kafka.awaited', what: 'the event bus', failures: 1 }]);
  });

  it.each([
    ['that no other try cures', 60_000, () => Object.assign(new Error('password'), { code: '28P01' })],
    ['of a database that is unavailable for too long', 0, away],
  ])('fails with a failure %s', async (_, limitMs, failure) => {
    let tries = 0;
    const step = async () => {
      tries += 1;
      throw failure();
    };
    await expect(retryTransient(step, { what: 'accounts', logger: silent, limitMs })).rejects.toThrow(
      failure().message,
    );
    expect(tries).toBe(1);
  });
});

describe('the database of a service', () => {
  it('is opened once it is there, though it is not when the service starts', async () => {
    const behind = new URL(server.url);
    const url = new URL(server.url);
    url.port = String(await freePort());
    url.searchParams.delete('host');
    let way: Server | undefined;
    const open = () => {
      way = createServer((inside) => {
        const outside = connect(Number(behind.port), '127.0.0.1');
        inside.on('error', () => outside.destroy()).pipe(outside);
        outside.on('error', () => inside.destroy()).pipe(inside);
      });
      way.listen(Number(url.port), '127.0.0.1');
    };
    const logger = Object.assign(Object.create(silent), { warn: () => way ?? open() });
    const options = { url: url.href, schema: 'retry_test', entities: [], migrations: [], poolSize: 1 };
    const database = await openDatabase({ ...options, logger });
    closing.push(async () => {
      await database.destroy();
      const closed = once(way!, 'close');
      way?.close();
      await closed;
    });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is opened again when the lock of its migrations was lost while they ran', async () => {
    const administrator = new pg.Client(server.url);
    await administrator.connect();
    closing.push(() => administrator.end());
    class LosesTheLock1764100001461 {
      async up(): Promise<void> {
        await administrator.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
          where application_name = 'postmesh-lock_test-migrate'`);
      }
      async down(): Promise<void> {}
    }
    const awaited: unknown[] = [];
    const logger = Object.assign(Object.create(silent), { warn: (line: unknown) => awaited.push(line) });
    const options = { url: server.url, schema: 'lock_test', entities: [], poolSize: 1, logger };
    const database = await openDatabase({ ...options, migrations: [LosesTheLock1764100001461] });
    closing.push(() => database.destroy());
    expect(awaited).toMatchObject([{ event: 'database.awaited', failures: 1 }]);
  });

  it('leaves no connection behind when a migration fails', async () => {
    class Fails1764100001460 {
      async up(): Promise<void> {
        throw new Error('no such column');
      }
      async down(): Promise<void> {}
    }
    const options = { url: server.url, schema: 'failing_test', entities: [], poolSize: 1, logger: silent };
    await expect(openDatabase({ ...options, migrations: [Fails1764100001460] })).rejects.toThrow(
      'no such column',
    );
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    closing.push(() => client.end());
    const left = async () =>
      (await client.query(`select from pg_stat_activity where application_name like '%failing_test%'`))
        .rowCount;
    await expect.poll(left).toBe(0);
  });
});

describe('a session that ends in the middle of a transaction', () => {
  it('is trouble of the world and no bug, wherever the transaction notices it', async () => {
    const dataSource = await openDatabase({
      url: server.url,
      schema: 'ended_session',
      entities: [],
      migrations: [],
      poolSize: 2,
      logger: silent,
    });
    closing.push(() => dataSource.destroy());
    // the service's own role may not terminate sessions
    const administrator = new pg.Client(server.url);
    await administrator.connect();
    closing.push(() => administrator.end());
    const endOf = async (tx: EntityManager) => {
      const [row] = (await tx.query('select pg_backend_pid() as pid')) as { pid: number }[];
      const client = (await tx.queryRunner?.connect()) as pg.Client;
      const noticed = new Promise((resolve) => client.once('error', resolve));
      await administrator.query('select pg_terminate_backend($1)', [row?.pid]);
      await noticed;
    };
    const next: ((tx: EntityManager) => Promise<unknown>)[] = [
      (tx) => tx.query('select 1'),
      (tx) => tx.queryRunner?.query('select 1') ?? Promise.resolve(),
      // its commit
      () => Promise.resolve(),
    ];
    for (const statement of next) {
      const transaction = dataSource.transaction(async (tx) => {
        await endOf(tx);
        await statement(tx);
      });
      const failure: unknown = await transaction.catch((error: unknown) => error);
      expect([String(failure), failureKind(failure)]).toEqual([
        expect.stringMatching(/released/),
        'transient',
      ]);
    }
  });
});

describe('a server that ends in the moment in which a pool hands a new connection out', () => {
  it('fails the next statement, and not the process', async () => {
    const application_name = 'ends-at-once';
    const administrator = new pg.Client(server.url);
    await administrator.connect();
    closing.push(() => administrator.end());
    // it is answered before the administrator leaves: the end of the session may be seen first
    let ending: Promise<unknown> | undefined;
    closing.push(async () => ending);
    const behind = new URL(server.url);
    // Holds back that the session is ready until the server has ended it: both are read in one piece.
    const way = createServer((inside) => {
      const outside = connect(Number(behind.port), '127.0.0.1');
      const held: Buffer[] = [];
      inside.on('error', () => outside.destroy()).pipe(outside);
      outside.on('error', () => inside.destroy());
      outside.on('end', () => inside.end(Buffer.concat(held)));
      outside.on('data', (piece: Buffer) => {
        held.push(piece);
        if (piece.subarray(-6).equals(READY_FOR_QUERY)) {
          ending = administrator.query(
            'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
            [application_name],
          );
        } else if (held.length === 1) {
          inside.write(held.pop() as Buffer);
        }
      });
    }).listen(0, '127.0.0.1');
    await once(way, 'listening');
    closing.push(async () => void way.close());
    const url = new URL(server.url);
    url.port = String((way.address() as AddressInfo).port);
    url.searchParams.delete('host');
    const pool = new pg.Pool({ connectionString: url.href, application_name, Client: timedClient(5_000) });
    pool.on('error', () => undefined);
    closing.push(() => pool.end());
    const client = await pool.connect();
    await expect(client.query('select 1')).rejects.toThrow(/not queryable/);
    client.release();
  });
});

const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
