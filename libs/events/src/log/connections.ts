import type pg from 'pg';
import { KEEP_ALIVE, SERVER_KEEPALIVE, timedClient } from '@postmesh/database';

const CONNECT_MS = 5_000;
const STATEMENT_MS = 30_000;

/** How every connection of the bus is made. @param settings of PostgreSQL, as `-c name=value …` */
export function connectionOf(url: string, name: string, settings = ''): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: name,
    ...KEEP_ALIVE,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    options: `${settings} ${SERVER_KEEPALIVE}`.trim(),
  };
}

/** The server ends a slow statement first; this is for a server that vanished. */
export const BusClient = timedClient(STATEMENT_MS + 5_000);

/** Runs the work in one transaction on one connection; any failure rolls all of it back. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection can be lost between two statements, when no query can reject.
  const lost = (error: Error): void => {
    broken = error;
  };
  client.on('error', lost);
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off('error', lost);
    // A connection that was lost or could not roll back is closed, not reused.
    client.release(broken);
  }
}
