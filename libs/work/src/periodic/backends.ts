import { watchRedis, withTimeout } from '@postmesh/concurrency';
import { Permanent, Transient } from '@postmesh/contracts';
import { KEEP_ALIVE, retryTransient, SERVER_KEEPALIVE, timedClient } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import {
  assertSchemaCompatibility,
  createPostgresBackend,
  createRedisBackend,
  DEFAULT_SCHEMA,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
  type BackendFactory,
  type IQueueBackend,
} from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import pg from 'pg';

/** The differences between Redis and PostgreSQL. */
export interface JobBackend {
  readonly kind: 'redis' | 'database';
  /** builds BullMQ's queues and workers on connections that they share */
  readonly factory: BackendFactory<IQueueBackend, object>;
  /** how long an idle worker sleeps when nothing wakes it, seconds */
  readonly idleSeconds: number;
  /** how often schedules are put in again, in case it has lost them, ms */
  readonly rearmMs: number;
  /** @throws when the backend does not answer */
  ping(): Promise<void>;
  /** runs `work` while no other process runs it under this key */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export type BackendOptions = { redisUrl: string } | { postgresUrl: string };

/**
 * Connects; Redis is waited for.
 * @throws the driver's error when the backend cannot be reached or its schema not be made
 */
export function openBackend(options: BackendOptions, logger: Logger): Promise<JobBackend> {
  const onLost = (error: unknown) =>
    logger.warn({ event: 'jobs.connection_lost', err: error }, 'jobs: connection lost');
  return 'redisUrl' in options
    ? openRedis(options.redisUrl, logger, onLost)
    : openPostgres(options.postgresUrl, logger, onLost);
}

// Redis may load its data from disk: a longer wait is logged.
const READY_MS = 10_000;

/** One connection for all producers, one for all workers, one more per worker to block on. */
async function openRedis(url: string, logger: Logger, onLost: (error: unknown) => void): Promise<JobBackend> {
  const common = {
    connectTimeout: 5_000,
    keepAlive: KEEP_ALIVE.keepAliveInitialDelayMillis,
    retryStrategy: (times: number) => Math.min(times * 100, 2_000),
    lazyConnect: true,
  };
  const connectBoth = async () => {
    // a producer fails soon while Redis is down; a worker waits for it
    const producers = await connectRedis(url, { ...common, maxRetriesPerRequest: 3 });
    const forWorkers = connectRedis(url, { ...common, maxRetriesPerRequest: null });
    return { producers, workers: await endingWith(producers, forWorkers) };
  };
  const waiting = { what: 'jobs', logger, awaited: 'redis' } as const;
  const { producers, workers } = await retryTransient(connectBoth, waiting);
  for (const client of [producers, workers]) client.on('error', onLost);
  haveRedisAwaited(producers, workers, logger);
  // BullMQ has a limit for the connections on which workers block
  const watches = [producers, workers].map(watchRedis);
  const close = async () => {
    for (const end of watches) end();
    producers.disconnect();
    workers.disconnect();
  };
  return {
    kind: 'redis',
    factory: (name, opts, use = {}) => {
      const connection = use.withBlockingConnection ? workers : producers;
      return createRedisBackend(name, Object.assign({}, opts, { prefix: 'jobs', connection }), use);
    },
    idleSeconds: 5,
    rearmMs: 60_000,
    ping: async () => {
      await producers.ping();
    },
    // what BullMQ does in Redis is a script, which Redis runs alone
    exclusively: (_key, work) => withReadableError(work()),
    close,
  };
}

/**
 * The client rejects with "connection is closed" only; its error event has the reason.
 * @throws the error of Redis or of the network; Permanent when Redis refuses the login or has no such database
 */
function connectRedis(url: string, options: RedisOptions): Promise<Redis> {
  const client = new Redis(url, options);
  let said: Error | undefined;
  client.on('error', (error: Error) => (said ??= error));
  const connect = async () => {
    const failure = await withTimeout(client.connect(), READY_MS, 'connecting to Redis').then(
      () => undefined,
      (error: unknown) => said ?? error,
    );
    // the client ignores that its database is missing, and would use another one
    if (said?.name === 'ReplyError') throw redisFailure(said);
    if (failure !== undefined) throw failure;
    return client;
  };
  return endingWith(client, connect());
}

/**
 * BullMQ never tries again after the first connection of a queue or of a worker failed. A worker has a copy of a
 * client, which tries again when it connects automatically. A queue reads the version from its client first, once.
 */
function haveRedisAwaited(producers: Redis, workers: Redis, logger: Logger): void {
  workers.options.lazyConnect = false;
  const askInfo = producers.info.bind(producers) as (...given: unknown[]) => Promise<string>;
  const retryUntilConnected = () =>
    retryTransient(() => withReadableError(askInfo()), { what: 'jobs', logger, awaited: 'redis' });
  // the client's own question comes with a callback
  producers.info = ((...given: unknown[]) =>
    given.length === 0 ? retryUntilConnected() : askInfo(...given)) as typeof producers.info;
}

async function withReadableError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw redisFailure(error);
  }
}

async function endingWith<T>(client: Redis, next: Promise<T>): Promise<T> {
  try {
    return await next;
  } catch (error) {
    client.disconnect();
    throw error;
  }
}

// Replies that no other try cures. The others pass: Redis loads its data, or has too many clients.
const REFUSED =
  /^(NOAUTH|WRONGPASS|NOPERM|ERR (DB index|invalid DB index|invalid password|AUTH|Client sent AUTH))/;

/** The client has no codes for its errors. */
function redisFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'MaxRetriesPerRequestError')
    return new Transient('Redis does not answer', undefined, { cause: error });
  if (error.name !== 'ReplyError') return error;
  const text = `Redis refuses: ${error.message}`;
  return REFUSED.test(error.message)
    ? new Permanent(text, { cause: error })
    : new Transient(text, undefined, { cause: error });
}

// One for each worker to listen on (a worker per service), the others for statements.
const MAX_CONNECTIONS = 24;
const STATEMENT_MS = 30_000;

/** One pool for all queues of the process, in BullMQ's own schema (a pool that is given cannot name another). */
async function openPostgres(
  url: string,
  logger: Logger,
  onLost: (error: unknown) => void,
): Promise<JobBackend> {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    options: `-c search_path=${DEFAULT_SCHEMA} ${SERVER_KEEPALIVE}`,
    application_name: 'postmesh-jobs',
    connectionTimeoutMillis: 5_000,
    // longer than the time between two runs of an idle installation: a new session costs more than they do
    idleTimeoutMillis: 120_000,
    statement_timeout: STATEMENT_MS,
    ...KEEP_ALIVE,
    Client: timedClient(STATEMENT_MS + 5_000),
  } as pg.PoolConfig);
  haveConnectionsAwaited(pool, logger);
  // each queue and worker adds one of its own
  pool.setMaxListeners(0);
  pool.on('error', onLost);
  // Without a listener, a connection that dies between two statements would end the process. Its next statement fails.
  pool.on('connect', (client) => client.on('error', onLost));
  try {
    await migrate(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    kind: 'database',
    factory: (name, opts, use) => createPostgresBackend(name, { ...opts, connection: pool }, use),
    // NOTIFY wakes a worker and so does the next due job; a poll at this interval finds jobs that both missed
    idleSeconds: 30,
    // its tables are as durable as everything else
    rearmMs: 600_000,
    ping: async () => {
      await pool.query('select 1');
    },
    exclusively: (key, work) => underLock(pool, key, work),
    close: () => pool.end(),
  };
}

/**
 * BullMQ remembers for good that the first connection of a queue or of a worker failed. It takes them without a callback;
 * statements take theirs with one, and fail at once.
 */
function haveConnectionsAwaited(pool: pg.Pool, logger: Logger): void {
  const connect = pool.connect.bind(pool) as (callback?: unknown) => Promise<pg.PoolClient>;
  const connectProven = async () => {
    const client = await connect();
    try {
      // an idle one may be lost without the pool knowing it yet
      await client.query('select');
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
  pool.connect = ((callback?: unknown) =>
    callback === undefined
      ? retryTransient(connectProven, { what: 'jobs', logger })
      : connect(callback)) as typeof pool.connect;
}

/** Only when there is something to do: a login without the right to make schemas can then start, too. */
async function migrate(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    const version = await assertSchemaCompatibility(client, DEFAULT_SCHEMA).catch((error: unknown) => {
      if (error instanceof SchemaMigrationRequiredError) return 0;
      throw error;
    });
    if (version < LATEST_SCHEMA_VERSION) await runMigrations(client, DEFAULT_SCHEMA);
  } finally {
    client.release();
  }
}

async function underLock<T>(pool: pg.Pool, key: string, work: () => Promise<T>): Promise<T> {
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
