import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { databaseName, isStale } from './names.rules.js';
import { advanceClock, installClock } from './test-clock.js';
import { testServerUrl, urlOfDatabase, withClient } from './test-server.js';

export interface TestDatabase {
  /** of a database of this test alone; the login is the superuser of the embedded server */
  readonly url: string;
}

/** A database with a time of its own, for tests of leases, windows and schedules. */
export interface TestDatabaseWithClock extends TestDatabase {
  /** Advances the time in its SQL, and in `Date` of this process until the test ends; timers stay. */
  advance(ms: number): Promise<void>;
}

/**
 * A fresh database for this test file (or this `describe`): made before its first test, dropped after
 * its last one. Its `url` may be read in hooks and tests, not while the file is still being collected.
 */
export function testDatabase(): TestDatabase {
  return inHooks(() => createTestDatabase());
}

/** The same with a clock that tests move. */
export function testDatabaseWithClock(): TestDatabaseWithClock {
  const database = inHooks(async () => {
    const made = await createTestDatabase();
    await installClock(made.url);
    return made;
  });
  return {
    get url() {
      return database.url;
    },
    advance: (ms) => advanceClock(database.url, ms),
  };
}

function inHooks(make: () => ReturnType<typeof createTestDatabase>): TestDatabase {
  let made: (TestDatabase & { drop(): Promise<void> }) | undefined;
  beforeAll(async () => {
    made = await make();
  });
  afterAll(() => made?.drop());
  return {
    get url() {
      if (made === undefined) throw new Error('the test database exists in hooks and tests only');
      return made.url;
    },
  };
}

/**
 * The same without hooks: the caller drops it. Sessions that are still open are ended by that.
 * @param isMade false: its name is reserved, and the service that starts on it first makes it from its template
 */
export async function createTestDatabase({ isMade = true } = {}): Promise<
  TestDatabase & { drop(): Promise<void> }
> {
  const server = await testServerUrl();
  const name = databaseName(new Date());
  await withClient(server, async (client) => {
    // 14 ms against 104 ms: copying files beats logging every page of them
    if (isMade) await client.query(`create database ${name} template template0 strategy file_copy`);
    await sweep(client);
  });
  return {
    url: urlOfDatabase(server, name),
    drop: () =>
      withClient(server, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

/** Drops databases of runs that were killed. A few at a time, so that no test waits long for it. */
async function sweep(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database d where starts_with(datname, 'pmtest_')
        and not exists (select from pg_stat_activity a where a.datid = d.oid)`,
  );
  const stale = rows.filter(({ name }) => isStale(name, new Date())).slice(0, 5);
  for (const { name } of stale) await client.query(`drop database if exists ${name}`);
}
