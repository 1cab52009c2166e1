import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

export interface ChangedKeys {
  keyIds?: readonly string[];
  /** every key of these accounts */
  accountIds?: readonly string[];
}

export const KEY_CHANGES_CHANNEL = 'accounts_key_changes';

// Gateways ask every second; one that missed this many changes drops everything instead.
const KEPT_CHANGES = 10_000;

/** Tells the gateways which keys to look up anew. */
@Injectable()
export class KeyChanges {
  /**
   * Writes a change down in the transaction that makes it. To be called last: until the commit every
   * other change and every cache lease waits for this one.
   * @returns the revision to wait for with `CacheLeases.settled` before anybody is told of the change
   */
  async record(manager: EntityManager, changed: ChangedKeys): Promise<number> {
    const [rows]: [{ revision: string }[], number] = await manager.query(
      'update key_revision set revision = revision + 1 returning revision',
    );
    const revision = Number(rows[0]?.revision);
    await manager.query(
      'insert into key_changes (revision, key_ids, account_ids) values ($1, $2::uuid[], $3::uuid[])',
      [revision, changed.keyIds ?? [], changed.accountIds ?? []],
    );
    await manager.query('delete from key_changes where revision <= $1', [revision - KEPT_CHANGES]);
    await manager.query('select pg_notify($1, $2)', [KEY_CHANGES_CHANNEL, String(revision)]);
    return revision;
  }

  /** The newest change that is committed, for `CacheLeases.settled`. */
  async latest(manager: EntityManager): Promise<number> {
    const [row]: { revision: string }[] = await manager.query('select revision from key_revision');
    return Number(row?.revision);
  }
}
