import { createTestDatabase } from '@postmesh/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import type { JobsDriver } from './bench-of-jobs.js';
import { describePeriodicWork } from './periodic-work.suite.js';

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
});
