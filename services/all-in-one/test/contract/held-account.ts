import pg from 'pg';
import type { Postmesh } from './harness.js';

export interface Hold {
  release(): Promise<void>;
}

/**
 * Keeps an account's creates of domains inside their transaction: claimed, running, not yet answered. It
 * takes the lock under which the domains service counts them.
 */
export const holdDomainCreates = (postmesh: Postmesh, accountId: string): Promise<Hold> =>
  hold(postmesh, `select pg_advisory_xact_lock(hashtext('domains of an account'), hashtext($1))`, [
    accountId,
  ]);

/** The same for everything that the accounts service makes for an account, API keys for one. */
export const holdAccount = (postmesh: Postmesh, accountId: string): Promise<Hold> =>
  hold(postmesh, 'select id from accounts.accounts where id = $1 for update', [accountId]);

async function hold(postmesh: Postmesh, lock: string, parameters: unknown[]): Promise<Hold> {
  const client = new pg.Client({ connectionString: postmesh.databaseUrl });
  // the server may be ended while we hold
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query(lock, parameters);
  return {
    release: async () => {
      await client.query('commit').catch(() => undefined);
      await client.end().catch(() => undefined);
    },
  };
}
