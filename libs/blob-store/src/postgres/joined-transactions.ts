import type { DataSource, EntityManager } from 'typeorm';

// Serialises grants: two at once on one table fail in Postgres.
const GRANT_LOCK = 727_021;

/**
 * The services whose transactions may write content: those in the same database. The role of such a service is granted
 * the right to insert, and no other (a service reads through the store, which is the owner).
 */
export class JoinedTransactions {
  private readonly known = new WeakMap<DataSource, Promise<boolean>>();

  constructor(private readonly own: DataSource) {}

  /** Checked once per service; a failure is not remembered. */
  admits(manager: EntityManager): Promise<boolean> {
    const { dataSource } = manager;
    const known = this.known.get(dataSource);
    if (known !== undefined) return known;
    const admitted = this.admit(manager);
    this.known.set(dataSource, admitted);
    admitted.catch(() => this.known.delete(dataSource));
    return admitted;
  }

  private async admit(manager: EntityManager): Promise<boolean> {
    if (urlOf(manager.dataSource) !== urlOf(this.own)) return false;
    // on the caller's own connection: waiting for a second one of its pool could wait for ever
    const rows = await manager.query<{ role: string; quoted: string }[]>(
      'select current_user as role, quote_ident(current_user) as quoted',
    );
    const [user] = rows;
    if (user === undefined) return false;
    await this.own.transaction((owner) => grantInsert(owner, user));
    return true;
  }
}

async function grantInsert(owner: EntityManager, user: { role: string; quoted: string }): Promise<void> {
  await owner.query('select pg_advisory_xact_lock($1)', [GRANT_LOCK]);
  const rows = await owner.query<{ granted: boolean }[]>(
    `select has_schema_privilege($1, 'blobs', 'usage') and has_table_privilege($1, 'blobs.content', 'insert') as granted`,
    [user.role],
  );
  if (rows[0]?.granted) return;
  await owner.query(`grant usage on schema blobs to ${user.quoted}`);
  await owner.query(`grant insert on blobs.content to ${user.quoted}`);
}

function urlOf({ options }: DataSource): string | undefined {
  return options.type === 'postgres' ? options.url : undefined;
}
