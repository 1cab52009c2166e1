// @ts-check
// The real PostgreSQL of a run: an embedded one without fsync, a database whose time is a number that the scheduler sets.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** Sessions of each schema. */
const SESSIONS = 24;

/**
 * @typedef {object} Database what the processes of a life have in one schema
 * @property {string} schema
 * @property {readonly any[]} migrations classes
 * @property {(url: string) => Promise<unknown>} [prepare] makes tables that are no service's
 * @property {string} [more] statements after them
 * @property {number} [sessions] default: 24
 * @property {readonly string[]} tables a life writes them; they are emptied before the next one
 * @property {readonly string[]} vacuumed of these: the order of their rows in the files decides something
 * @property {readonly string[]} [sequences]
 */

const CLOCK = `
  set allow_system_table_mods = on;
  create schema virtual;
  grant usage on schema virtual to public;
  create sequence virtual.clock minvalue 0 start 0;
  create sequence virtual.luck minvalue 1 start 1;
  grant all on all sequences in schema virtual to public;
  select setval('virtual.clock', 1);
  alter function pg_catalog.now() rename to machine_now;
  alter function pg_catalog.clock_timestamp() rename to machine_clock_timestamp;
  alter function pg_catalog.random() rename to machine_random;
  create function pg_catalog.now() returns timestamptz language sql stable parallel safe
    return timestamptz 'epoch' + pg_sequence_last_value('virtual.clock'::regclass) * interval '1 millisecond';
  create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile parallel safe
    return timestamptz 'epoch' + pg_sequence_last_value('virtual.clock'::regclass) * interval '1 millisecond';
  create function pg_catalog.random() returns float8 language sql volatile
    return (hashint8(nextval('virtual.luck'::regclass))::float8 + 2147483648) / 4294967296;`;

const WAITS = `
  with recursive waits as materialized (
    select pid, unnest(pg_blocking_pids(pid)) as holder from (select distinct pid from pg_locks where not granted) as l
  ), behind as (
    select holder from waits where pid = $1
    union
    select waits.holder from behind join waits on waits.pid = behind.holder
  )
  select exists (select from waits where pid = $1) as waits,
    exists (select from behind where holder = $1) as deadlocked`;

/** One session of the server, kept over lives: its statements are prepared once. */
export class Backend {
  /** it may have locks that are its session's */
  hasLocks = false;
  isHalted = false;
  /** @type {Map<string, string>} names of its statements */
  names = new Map();

  /** @param {pg.Client} client @param {Store} store @param {string} schema */
  constructor(client, store, schema) {
    this.client = client;
    this.store = store;
    this.schema = schema;
    /** @type {number} */
    this.pid = /** @type {any} */ (client).processID;
  }

  /**
   * At the time of the world: both travel together.
   * @param {string} text @param {unknown[] | undefined} values @param {'array'} [rowMode]
   */
  query(text, values, rowMode) {
    this.store.sendClock(this.client);
    if (text.includes('pg_try_advisory_lock(')) this.hasLocks = true;
    if (!/^[\s(]*(?:with|select|insert|update|delete)/i.test(text)) return this.client.query(text);
    const { names } = this;
    const name = names.get(text) ?? `s${names.size}`;
    names.set(text, name);
    return this.client.query(/** @type {any} */ ({ name, text, values: values ?? [], rowMode }));
  }

  /** @returns {Promise<'runs' | 'waits' | 'deadlocked'>} waits: for a lock of another session; deadlocked: which waits for this one */
  async whatItDoes() {
    const { rows } = await this.store.control.query(WAITS, [this.pid]);
    return rows[0].deadlocked ? 'deadlocked' : rows[0].waits ? 'waits' : 'runs';
  }

  /** Its process does nothing until it continues. */
  halt() {
    if (this.isHalted) return;
    this.isHalted = true;
    process.kill(this.pid, 'SIGSTOP');
  }

  resume() {
    if (!this.isHalted) return;
    this.isHalted = false;
    process.kill(this.pid, 'SIGCONT');
  }

  async cancel() {
    await this.store.control.query('select pg_cancel_backend($1)', [this.pid]);
  }

  async reset() {
    if (/** @type {any} */ (this.client).getTransactionStatus() !== 'I') await this.client.query('rollback');
    if (this.hasLocks) await this.client.query('select pg_advisory_unlock_all()');
    this.hasLocks = false;
  }
}

export class Store {
  /** @type {Map<string, Backend[]>} by schema; the last one is taken first */
  free = new Map();
  /** Unix ms: what the next statement sees */
  now = Date.UTC(2026, 0, 5);
  /** what the database has */
  clock = -1;

  /** @param {pg.Client} control @param {readonly Database[]} databases @param {() => Promise<void>} close */
  constructor(control, databases, close) {
    this.control = control;
    this.databases = databases;
    this.close = close;
  }

  /** @param {string} schema */
  take(schema) {
    const backend = this.free.get(schema)?.pop();
    if (!backend) throw new Error('more sessions than the simulator has');
    return backend;
  }

  /** @param {Backend} backend */
  putBack(backend) {
    const free = this.free.get(backend.schema) ?? [];
    free.push(backend);
    this.free.set(
      backend.schema,
      free.sort((a, b) => b.pid - a.pid),
    );
  }

  /** Writes the time of SQL where it differs. @param {pg.Client} client */
  sendClock(client) {
    const now = Math.round(this.now);
    if (now === this.clock) return;
    this.clock = now;
    client.query({ name: 'clock', text: `select setval('virtual.clock', $1)`, values: [now] }).catch(() => {
      // its transaction has failed: the next statement writes it
      this.clock = -1;
    });
  }

  /** An empty database, as at the first life: also the order of rows in its files. */
  async clear() {
    const names = (/** @type {'tables' | 'vacuumed' | 'sequences'} */ kind) =>
      this.databases.flatMap((one) => (one[kind] ?? []).map((name) => `${one.schema}.${name}`));
    await this.control.query(
      names('tables')
        .map((table) => `delete from ${table}`)
        .join(';'),
    );
    await this.control.query(`vacuum ${names('vacuumed').join(', ')}`);
    const sequences = ['virtual.luck', ...names('sequences')];
    await this.control.query(`select ${sequences.map((name) => `setval('${name}', 1, false)`).join(', ')}`);
  }
}

/** @param {readonly Database[]} databases @returns {Promise<Store>} */
export async function openStore(databases) {
  const { startEmbeddedPostgres } = await import('../../libs/database/dist/index.js');
  const folder = await mkdtemp(join(tmpdir(), 'postmesh-simulate-'));
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
      deadlock_timeout: '50ms',
      max_connections: '60',
      shared_buffers: '64MB',
      jit: 'off',
      // one plan per statement and session: its cost and its order of rows do not depend on the parameters
      plan_cache_mode: 'force_generic_plan',
    },
  });
  let isEnding = false;
  const connect = async (/** @type {string} */ options = '') => {
    const client = new pg.Client(
      /** @type {any} */ ({ connectionString: server.url, options, pipeline: true }),
    );
    // a session that a life has not given back ends with the server
    client.on('error', (error) => {
      if (!isEnding) throw error;
    });
    await client.connect();
    return client;
  };
  const control = await connect();
  await control.query(CLOCK);
  const store = new Store(control, databases, async () => {
    isEnding = true;
    await control.end();
    await Promise.all([...store.free.values()].flat().map(({ client }) => client.end()));
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  store.sendClock(control);
  for (const database of databases) {
    await migrate(server.url, database);
    for (let nth = 0; nth < (database.sessions ?? SESSIONS); nth++) {
      const client = await connect(`-c search_path=${database.schema}`);
      store.putBack(new Backend(client, store, database.schema));
    }
  }
  return store;
}

/** @param {string} url @param {Database} database */
async function migrate(url, { schema, migrations, more, prepare }) {
  const { openDatabase } = await import('../../libs/database/dist/index.js');
  const { createLogger } = await import('../../libs/observability/dist/index.js');
  const dataSource = await openDatabase({
    url,
    schema,
    entities: [],
    migrations,
    poolSize: 2,
    logger: createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate'),
  });
  await prepare?.(url);
  if (more !== undefined) await dataSource.query(more);
  await dataSource.destroy();
}
