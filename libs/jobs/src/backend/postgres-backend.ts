import { EventEmitter } from 'node:events';
import type { Logger } from '@postmesh/observability';
import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  SchemaMigrationRequiredError,
  type PgPool,
} from 'bullmq';
import type { JobBackend } from './backend.js';

const CONNECTIONS = 6;

/**
 * BullMQ's PostgreSQL backend with one pool and one LISTEN connection for all queues of the process.
 * Its own factory would give each queue a pool and each worker a LISTEN connection.
 */
export async function openPostgresBackend(options: {
  url: string;
  schema: string;
  logger: Logger;
}): Promise<JobBackend> {
  const connection = new SharedConnection({
    connectionString: options.url,
    schema: options.schema,
    max: CONNECTIONS,
    application_name: 'postmesh-jobs',
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    keepAlive: true,
  });
  connection.on('error', (error: unknown) => options.logger.warn({ err: error }, 'jobs: connection lost'));
  // A connection that dies between two statements of who holds it has nobody to tell: without an ear of ours that
  // would be the end of the process. Whoever holds it is told by its next statement.
  connection.pool.on('connect', (client) => {
    client.on('error', (error: unknown) => options.logger.warn({ err: error }, 'jobs: connection lost'));
  });
  const backends = new Set<PostgresQueueBackend>();
  connection.on('listenerinvalidated', () => {
    for (const backend of backends) void wake(backend);
  });
  try {
    await migrate(connection.pool, options.schema);
    await connection.waitUntilReady();
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    factory: (name, opts) => {
      const backend = new PostgresQueueBackend(
        connection,
        name,
        { ...opts, connection: connection.pool },
        false,
      );
      backends.add(backend);
      return backend;
    },
    // NOTIFY wakes a worker and so does the next due job; a look now and then is for what both missed
    idleSeconds: 30,
    ping: async () => {
      await connection.pool.query('select 1');
    },
    exclusively: (key, work) => underLock(connection.pool, key, work),
    close: () => connection.close(),
  };
}

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

class SharedConnection extends PostgresConnection {
  private readonly prepared = new WeakSet<ListenClient>();

  /** Every worker of the process listens on this one client. */
  override async getListenClient(): Promise<ListenClient> {
    const client = await super.getListenClient();
    if (!this.prepared.has(client)) {
      this.prepared.add(client);
      if (client instanceof EventEmitter) client.setMaxListeners(0);
      inTurn(client);
    }
    return client;
  }
}

/** Workers do not know of each other, and `pg` wants one statement of a client to end before the next. */
function inTurn(client: ListenClient): void {
  const query = client.query.bind(client);
  let last: Promise<unknown> = Promise.resolve();
  client.query = (text, params) => {
    const next = last.then(() => query(text, params));
    last = next.catch(() => undefined);
    return next;
  };
}

/** Waits of a backend that does not own its connection do not hear that the LISTEN client is gone. */
async function wake(backend: PostgresQueueBackend): Promise<void> {
  await backend.disconnectBlocking();
  await backend.reconnectBlocking();
}

/** Only when there is something to do: a login without the right to make schemas can then start, too. */
async function migrate(pool: PgPool, schema: string): Promise<void> {
  const client = await pool.connect();
  try {
    const version = await assertSchemaCompatibility(client, schema).catch((error: unknown) => {
      if (error instanceof SchemaMigrationRequiredError) return 0;
      throw error;
    });
    if (version < LATEST_SCHEMA_VERSION) await runMigrations(client, schema);
  } finally {
    client.release();
  }
}

async function underLock<T>(pool: PgPool, key: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query("select pg_advisory_lock(hashtext('postmesh-jobs'), hashtext($1))", [key]);
    const result = await work();
    await client.query("select pg_advisory_unlock(hashtext('postmesh-jobs'), hashtext($1))", [key]);
    broken = false;
    return result;
  } finally {
    // a session that may still hold the lock is ended, which gives it back
    client.release(broken);
  }
}
