import pg from 'pg';
import { TEMPLATE_LOCK, databaseName, templateName } from './names.rules.js';
import { sourceFingerprint } from './source-fingerprint.js';
import { testServerUrl, withClient } from './test-server.js';

/** A database that is prepared once and then copied for each test file. */
export interface TemplateDatabase {
  /** Makes it if need be. @returns its name on the test server */
  ready(): Promise<string>;
}

const TEMPLATE_STALE_MS = 3_600_000;

/**
 * A service's migrated schema (or any other state) to start test files from.
 * @param name of the state, e.g. the service's
 * @param prepare brings an empty database into it: its URL comes in; runs again only when sources change
 */
export function templateDatabase(name: string, prepare: (url: string) => Promise<void>): TemplateDatabase {
  let made: Promise<string> | undefined;
  return { ready: () => (made ??= makeTemplate(name, prepare)) };
}

async function makeTemplate(name: string, prepare: (url: string) => Promise<void>): Promise<string> {
  const [url, fingerprint] = await Promise.all([testServerUrl(), sourceFingerprint()]);
  const template = templateName(name, fingerprint);
  return withClient(url, async (client) => {
    // workers of one run ask at the same moment: one makes it, the others wait here
    await client.query('select pg_advisory_lock($1, hashtext($2))', [TEMPLATE_LOCK, template]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template]);
    if (rowCount === 0) await makeUnderLock(client, { url, template, prepare });
    return template;
  });
}

async function makeUnderLock(
  client: pg.Client,
  what: { url: string; template: string; prepare: (url: string) => Promise<void> },
): Promise<void> {
  await dropOlder(client, what.template);
  const draft = databaseName(new Date());
  await client.query(`create database ${draft} template template0 strategy file_copy`);
  try {
    await what.prepare(urlOfDatabase(what.url, draft));
    await client.query(`alter database ${draft} allow_connections false`);
    // a pool that `prepare` left open would keep the template from being copied
    await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [
      draft,
    ]);
    await client.query(`comment on database ${draft} is '${Date.now()}'`);
    await client.query(`alter database ${draft} rename to ${what.template}`);
  } catch (error) {
    await client.query(`drop database if exists ${draft} with (force)`);
    throw error;
  }
}

/** Templates of the same state from sources that have changed since; recent ones may still be in use. */
async function dropOlder(client: pg.Client, template: string): Promise<void> {
  const family = template.slice(0, template.lastIndexOf('_') + 1);
  const { rows } = await client.query<{ name: string; made: string | null }>(
    `select datname as name, shobj_description(oid, 'pg_database') as made
       from pg_database where starts_with(datname, $1)`,
    [family],
  );
  for (const { name, made } of rows) {
    if (Date.now() - Number(made ?? 0) > TEMPLATE_STALE_MS)
      await client.query(`drop database if exists ${name}`);
  }
}

/** The same server and login, another database. */
export function urlOfDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}
