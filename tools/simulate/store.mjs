// @ts-check
// The real PostgreSQL of a run: an embedded one without fsync, a database whose time is a number that the scheduler sets.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

const SCHEMA = 'delivery_worker';
const SESSIONS = 24;
/** A life writes them; they are emptied before the next one. */
const TABLES = [
  'deliveries',
  'workers',
  'account_states',
  'intakes',
  'inbox',
  'log',
  'suppressions',
  'egress_budgets',
];

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

/** One session of the server, kept over lives: its statements are prepared once. */
export class Backend {
  /** @param {pg.Client} client @param {Store} store @param {Map<string, string>} names */
  constructor(client, store, names) {
    this.client = client;
    this.store = store;
    this.names = names;
    /** @type {number} */
    this.pid = /** @type {any} */ (client).processID;
  }

  /** At the time of the world: both travel together. @param {string} text @param {unknown[] | undefined} values */
  query(text, values) {
    this.store.sendClock(this.client);
    if (!/^\s*(?:with|select|insert|update|delete)/i.test(text)) return this.client.query(text);
    const { names } = this;
    const name = names.get(text) ?? `s${names.size}`;
    names.set(text, name);
    return this.client.query({ name, text, values: values ?? [] });
  }

  async isBlocked() {
    const { rows } = await this.store.control.query('select cardinality(pg_blocking_pids($1)) > 0 as yes', [
      this.pid,
    ]);
    return rows[0].yes;
  }

  async cancel() {
    await this.store.control.query('select pg_cancel_backend($1)', [this.pid]);
  }

  async reset() {
    if (/** @type {any} */ (this.client).getTransactionStatus() !== 'I') await this.client.query('rollback');
  }
}

export class Store {
  /** @type {Backend[]} the last one is taken first */
  free = [];
  /** Unix ms: what the next statement sees */
  now = Date.UTC(2026, 0, 5);
  /** what the database has */
  clock = -1;

  /** @param {pg.Client} control @param {() => Promise<void>} close */
  constructor(control, close) {
    this.control = control;
    this.close = close;
  }

  take() {
    const backend = this.free.pop();
    if (!backend) throw new Error('more sessions than the simulator has');
    return backend;
  }

  /** @param {Backend} backend */
  putBack(backend) {
    this.free.push(backend);
    this.free.sort((a, b) => b.pid - a.pid);
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
    await this.control.query(TABLES.map((table) => `delete from ${SCHEMA}.${table}`).join(';'));
    await this.control.query(`vacuum ${SCHEMA}.deliveries, ${SCHEMA}.workers`);
    await this.control.query(
      `select setval('virtual.luck', 1, false), setval('${SCHEMA}.log_position_seq', 1, false)`,
    );
  }
}

/** @returns {Promise<Store>} */
export async function openStore() {
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
  const connect = async (/** @type {string} */ options = '') => {
    const client = new pg.Client(
      /** @type {any} */ ({ connectionString: server.url, options, pipeline: true }),
    );
    await client.connect();
    return client;
  };
  const control = await connect();
  await control.query(CLOCK);
  const store = new Store(control, async () => {
    await control.end();
    await Promise.all(store.free.map(({ client }) => client.end()));
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  store.sendClock(control);
  await migrate(server.url);
  for (let nth = 0; nth < SESSIONS; nth++) {
    const client = await connect(`-c search_path=${SCHEMA}`);
    store.free.push(new Backend(client, store, new Map()));
  }
  store.free.sort((a, b) => b.pid - a.pid);
  return store;
}

/** @param {string} url */
async function migrate(url) {
  const { openDatabase } = await import('../../libs/database/dist/index.js');
  const { OUTBOX_MIGRATIONS } = await import('../../libs/events/dist/index.js');
  const { createLogger } = await import('../../libs/observability/dist/index.js');
  const { DELIVERY_WORKER_SERVICE } =
    await import('../../services/delivery-worker/dist/delivery-worker.definition.js');
  const dataSource = await openDatabase({
    url,
    schema: SCHEMA,
    entities: [],
    migrations: [...OUTBOX_MIGRATIONS, ...(DELIVERY_WORKER_SERVICE.database?.migrations ?? [])],
    poolSize: 2,
    logger: createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate'),
  });
  await dataSource.destroy();
}
