import { createHash } from 'node:crypto';
import type pg from 'pg';
import { templateName } from './names.rules.js';
import { CLOCK_SCHEMA, installClock } from './test-clock.js';
import { testServerUrl, urlOfDatabase, withClient } from './test-server.js';

/** Test files of one run share templates; `vitest.config.ts` names the run. */
const RUN = process.env['POSTMESH_TEST_RUN'] ?? `${process.pid}-${performance.timeOrigin}`;

/**
 * Puts a copy of a migrated database in the place of an empty test database: the first caller of a run migrates a template,
 * the others copy its files. A database that has tables stays as it is, so that a test may migrate one itself.
 * @param url of a test database that nothing is connected to, or of none that is yet
 * @param of names what `migrate` makes: same name, same result
 * @param migrate is given the URL of the template; it closes what it opens
 */
export function fillFromTemplate(
  url: string,
  of: string,
  migrate: (url: string) => Promise<void>,
): Promise<void> {
  // two that start in one database at the same time: the second finds it filled
  const before = filling.get(url)?.catch(() => undefined) ?? Promise.resolve();
  const filled = before.then(() => fill(url, of, migrate));
  filling.set(url, filled);
  return filled;
}

const filling = new Map<string, Promise<void>>();

async function fill(url: string, of: string, migrate: (url: string) => Promise<void>): Promise<void> {
  const server = await testServerUrl();
  const name = new URL(url).pathname.slice(1);
  if (new URL(url).host !== new URL(server).host) return;
  const found = await look(url);
  if (!found.isEmpty) return;
  const template = await (found.hasClock
    ? ensureTemplate(server, `${of} with a clock`, async (template) => {
        await installClock(template);
        await migrate(template);
      })
    : ensureTemplate(server, of, migrate));
  await withClient(server, async (client) => {
    await client.query(`drop database if exists ${name}`);
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
}

interface Look {
  readonly isEmpty: boolean;
  readonly hasClock: boolean;
}

/** SQLSTATE: there is no such database */
const UNKNOWN_DATABASE = '3D000';

const look = (url: string): Promise<Look> =>
  lookInto(url).catch((error: { code?: string }) => {
    if (error.code === UNKNOWN_DATABASE) return { isEmpty: true, hasClock: false };
    throw error;
  });

const lookInto = (url: string): Promise<Look> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ tables: number; has_clock: boolean }>(
      `select to_regnamespace('${CLOCK_SCHEMA}') is not null as has_clock,
         (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where c.relkind in ('r', 'p') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema') as tables`,
    );
    return { isEmpty: rows[0]?.tables === 0, hasClock: rows[0]?.has_clock === true };
  });

const made = new Map<string, Promise<string>>();

function ensureTemplate(
  server: string,
  of: string,
  migrate: (url: string) => Promise<void>,
): Promise<string> {
  const key = createHash('sha256').update(`${RUN} ${of}`).digest('hex').slice(0, 12);
  const known = made.get(key) ?? makeTemplate(server, key, migrate);
  made.set(key, known);
  return known;
}

/** Workers of a run may want the same one at the same time: the second waits for the first. */
function makeTemplate(server: string, key: string, migrate: (url: string) => Promise<void>): Promise<string> {
  return withClient(server, async (client) => {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [key]);
    const known = await findTemplate(client, key);
    if (known !== undefined) return known;
    // one that is not whole has another name
    const name = templateName(new Date(), key);
    const draft = `${name}_draft`;
    await client.query(`create database ${draft} template template0 strategy file_copy`);
    await migrate(urlOfDatabase(server, draft));
    await untilUnused(client, draft);
    await client.query(`alter database ${draft} rename to ${name}`);
    return name;
  });
}

async function findTemplate(client: pg.Client, key: string): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    "select datname as name from pg_database where datname ~ ('^pmtest_[0-9]+_' || $1 || '$')",
    [key],
  );
  return rows[0]?.name;
}

/** Sessions that were closed are on the server's list for a moment longer. */
async function untilUnused(client: pg.Client, name: string): Promise<void> {
  await client.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', [
    name,
  ]);
}
