import pg from 'pg';
import type { Postmesh } from './harness.js';

export interface Hold {
  release(): Promise<void>;
}

/**
 * Holds the domain creates of an account inside their transaction: claimed, running, without a response. It takes the
 * lock under which the domains service counts them.
 */
export const holdDomainCreates = (postmesh: Postmesh, accountId: string): Promise<Hold> =>
  hold(postmesh, `select pg_advisory_xact_lock(hashtext('domains of an account'), hashtext($1))`, [
    accountId,
  ]);

/** The same for all creates of the accounts service for an account, such as API keys. */
export const holdAccount = (postmesh: Postmesh, accountId: string): Promise<Hold> =>
  hold(postmesh, 'select id from accounts.accounts where id = $1 for update', [accountId]);

/** Campaigns that are sent, before their next batch: the lock under which their windows are filled. */
export const holdCampaigns = (postmesh: Postmesh): Promise<Hold> =>
  hold(postmesh, `select pg_advisory_xact_lock(hashtext('campaign feeder'))`, []);

async function hold(postmesh: Postmesh, lock: string, parameters: unknown[]): Promise<Hold> {
  const client = new pg.Client({ connectionString: postmesh.databaseUrl });
  // the server may end while this holds the lock
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
