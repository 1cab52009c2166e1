import type { EntityManager } from 'typeorm';

const OF_ACCOUNT = `hashtext('domains of an account'), hashtext($1)`;
const OF_NAME = `hashtext('owners of a domain name')`;

/** Until the transaction ends nobody else adds a domain to the account, and its deletion waits. */
export async function lockDomainsOf(manager: EntityManager, accountId: string): Promise<void> {
  await manager.query(`select pg_advisory_xact_lock(${OF_ACCOUNT})`, [accountId]);
}

/** For an account that is to get a domain: the same, and the name does not become the system's meanwhile. */
export async function lockForCreate(
  manager: EntityManager,
  { accountId, domain }: { accountId: string; domain: string },
): Promise<void> {
  await manager.query(
    `select pg_advisory_xact_lock(${OF_ACCOUNT}), pg_advisory_xact_lock_shared(${OF_NAME}, hashtext($2))`,
    [accountId, domain],
  );
}

/** Until the transaction ends no account gets a domain of this name. */
export async function lockName(manager: EntityManager, domain: string): Promise<void> {
  await manager.query(`select pg_advisory_xact_lock(${OF_NAME}, hashtext($1))`, [domain]);
}
