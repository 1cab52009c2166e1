import { createTestDatabase, CuttableProxy } from '@postmesh/testing';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobs } from '../src/periodic/jobs.js';
import { BenchProcess, type JobsDriver } from './bench-of-jobs.js';
import { describePeriodicWork } from './periodic-work.suite.js';

/** each meets a renewal, which takes most of the time */
const ENDS = 5;

describe('jobs on PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let driver: JobsDriver;

  beforeAll(async () => {
    database = await createTestDatabase();
    driver = {
      backend: { postgresUrl: database.url },
      cutConnections: () =>
        query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`,
        ),
      forgetEverything: () =>
        query('truncate bullmq.job, bullmq.scheduler, bullmq.dedup, bullmq.meta cascade'),
    };
  });
  afterAll(() => database.drop());

  async function query(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(text);
    await client.end();
  }

  describePeriodicWork(() => driver);

  // the work under the lock of a schedule had no end on a queue that was closed, and the next process waited for that lock
  it('leaves no lock behind when it ends while it renews a schedule', async () => {
    for (let round = 0; round < ENDS; round += 1) {
      const jobs = new BenchProcess(
        await createJobs({
          backend: { postgresUrl: database.url },
          prefix: 'renewed',
          rearmMs: 1,
          logger: pino({ level: 'silent' }),
        }),
      );
      await jobs.repeat(
        { queue: 'tests', name: 'hourly', everyMs: 3_600_000, timeoutMs: 10_000 },
        async () => undefined,
      );
      await jobs.close();
    }
  });

  // what failed to connect once used to be dead for good, and a start under load ended with it
  it('does the work of a service that meets no PostgreSQL while it starts', async () => {
    const proxy = await CuttableProxy.start(database.url);
    const mend = { write: (line: string) => void (line.includes('database.awaited') && proxy.mend()) };
    const connection = await createJobs({
      backend: { postgresUrl: proxy.url },
      prefix: 'start',
      logger: pino({ level: 'warn' }, mend),
    });
    const jobs = new BenchProcess(connection);
    await proxy.cut();
    let runs = 0;
    const work = { queue: 'busy', name: 'count', everyMs: 60_000, timeoutMs: 10_000 };
    await jobs.repeat(work, async () => void (runs += 1));
    await expect.poll(() => runs).toBe(1);
    await jobs.close();
    await proxy.cut();
  });
});
