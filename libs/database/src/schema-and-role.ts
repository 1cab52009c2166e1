import { pause } from '@postmesh/concurrency';
import { Transient } from '@postmesh/contracts';
import pg from 'pg';
import type { Logger } from '@postmesh/observability';
import { KEEP_ALIVE, SERVER_KEEPALIVE } from './timed-client.js';

// The advisory lock of "prepare or migrate schema X": the second key is the hash of the schema's name.
const MIGRATION_LOCK = 727_001;
const ASK_AGAIN_MS = 100;

export interface PreparedSchema {
  /** undefined where the login may not make roles: the schema is then the only fence */
  role: string | undefined;
  /** @throws Transient when the lock was lost with its session: another instance may be migrating */
  stillLocked(): void;
  /** ends the turn of this instance: the next one may migrate */
  release(): Promise<void>;
}

/**
 * Makes the schema and its role (idempotent) and holds the migration lock until `release`.
 * A service acts under its own role, so that reading another service's table is an error of Postgres.
 */
export async function prepareSchema(options: {
  url: string;
  schema: string;
  logger: Logger;
}): Promise<PreparedSchema> {
  const schema = identifier(options.schema);
  const client = new pg.Client({
    connectionString: options.url,
    application_name: `postmesh-${schema}-migrate`,
    connectionTimeoutMillis: 10_000,
    // it waits for the lock as long as another one migrates
    ...KEEP_ALIVE,
    options: SERVER_KEEPALIVE,
  });
  let lost: Error | undefined;
  client.on('error', (error) => (lost = error));
  const stillLocked = () => {
    if (lost)
      throw new Transient('the lock of migrations was lost with its session', undefined, { cause: lost });
  };
  await client.connect();
  try {
    await turnOf(client, schema);
    const role = await ensureRole(client, schema, options.logger);
    const owner = role === undefined ? '' : ` authorization ${role}`;
    await client.query(`create schema if not exists ${schema}${owner}`);
    return { role, stillLocked, release: () => client.end().catch(() => undefined) };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** Asks for the lock again and again: a statement that waits for it would hold up `create index concurrently` of its owner. */
async function turnOf(client: pg.Client, schema: string): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as mine',
      [MIGRATION_LOCK, schema],
    );
    if (rows[0]?.mine) return;
    await pause(ASK_AGAIN_MS);
  }
}

async function ensureRole(client: pg.Client, schema: string, logger: Logger): Promise<string | undefined> {
  const role = `postmesh_${schema}`;
  const { rows } = await client.query<{ member: boolean; exists: boolean; may_create: boolean }>(
    `select exists(select from pg_roles where rolname = $1) as exists,
            coalesce((select pg_has_role(current_user, oid, 'member') from pg_roles where rolname = $1), false) as member,
            (select rolsuper or rolcreaterole from pg_roles where rolname = current_user) as may_create`,
    [role],
  );
  const state = rows[0];
  if (state?.member) return role;
  if (!state?.may_create) {
    logger.warn(
      { event: 'database.role_missing', schema },
      'login may not create roles, services use the role of the login',
    );
    return undefined;
  }
  await client.query('select pg_advisory_lock($1, 0)', [MIGRATION_LOCK]);
  try {
    // roles belong to the cluster but the lock to the database: a service in another one may be first
    await client.query(
      `do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`,
    );
    await client.query(`grant ${role} to current_user`);
    const database = await client.query<{ name: string }>('select quote_ident(current_database()) as name');
    await client.query(`grant create, temporary on database ${database.rows[0]?.name} to ${role}`);
  } finally {
    await client.query('select pg_advisory_unlock($1, 0)', [MIGRATION_LOCK]);
  }
  return role;
}

/** Schema names are ours, but a name that reaches SQL text is checked all the same. */
function identifier(name: string): string {
  if (!/^[a-z][a-z_]{0,40}$/.test(name)) throw new Error(`'${name}' is not a schema name`);
  return name;
}
