import { DataSource, type EntitySchema, type MigrationInterface } from 'typeorm';
import type { Logger } from '@postmesh/observability';
import { retryTransient } from './retry-transient.js';
import { PipelinedClient } from './pipelined-client.js';
import { preparingClient } from './prepared-statements.js';
import { KEEP_ALIVE, SERVER_KEEPALIVE, timedClient } from './timed-client.js';
import { prepareSchema } from './schema-and-role.js';

type ClassOf<T> = new () => T;

export interface DatabaseOptions {
  url: string;
  /** the schema that the service owns; its role is `postmesh_<schema>` */
  schema: string;
  entities: readonly (ClassOf<object> | EntitySchema)[];
  /** forward only, oldest first; each must work while the previous version still runs */
  migrations: readonly ClassOf<MigrationInterface>[];
  poolSize: number;
  logger: Logger;
}

// A longer statement is a bug: every client has timed out by then.
const STATEMENT_TIMEOUT_MS = 60_000;
// The server ends a slow statement first; this is for a server that vanished.
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * Opens the database of one service: makes its schema and role where they are missing, runs its
 * migrations (one instance at a time), and returns a connected TypeORM DataSource.
 * @throws the driver's error when the database cannot be reached for a minute, or a migration fails
 */
export function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  const { schema: what, logger } = options;
  return retryTransient(() => openOnce(options), { what, logger });
}

async function openOnce(options: DatabaseOptions): Promise<DataSource> {
  const { role, stillLocked, release } = await prepareSchema(options);
  const dataSource = new DataSource(dataSourceOptions(options, role));
  try {
    await dataSource.initialize();
    stillLocked();
    await dataSource.runMigrations({ transaction: 'each' });
    stillLocked();
    return dataSource;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy().catch(() => undefined);
    throw error;
  } finally {
    await release();
  }
}

function dataSourceOptions(options: DatabaseOptions, role: string | undefined) {
  const startup = [
    role === undefined ? '' : `-c role=${role}`,
    `-c search_path=${options.schema}`,
    `-c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
    '-c idle_in_transaction_session_timeout=60000',
    SERVER_KEEPALIVE,
    '-c jit=off',
  ];
  return {
    type: 'postgres' as const,
    url: options.url,
    schema: options.schema,
    entities: [...options.entities],
    migrations: [...options.migrations],
    migrationsTableName: 'migrations',
    installExtensions: false,
    synchronize: false,
    logging: false as const,
    poolSize: options.poolSize,
    connectTimeoutMS: 10_000,
    applicationName: `postmesh-${options.schema}`,
    extra: {
      options: startup.join(' ').trim(),
      ...KEEP_ALIVE,
      // longer than the interval of most periodic tasks: a new session costs more than they do
      idleTimeoutMillis: 120_000,
      // statements that a transaction begins in one turn of the event loop are sent without waiting for each other
      pipeline: true,
      Client: preparingClient({ base: timedClient(SILENCE_MS, PipelinedClient) }),
    },
    poolErrorHandler: (error: unknown) =>
      options.logger.warn({ event: 'database.connection_lost', err: error }, 'database connection lost'),
  };
}
