import type { DataSource } from 'typeorm';
import type { PepperedColumn } from '@postmesh/secrets';

/** A secret was shown whose hash is under another key than `keyId`: both hashes are of this very secret. */
export interface ShownSecret {
  from: Buffer;
  to: Buffer;
  /** of the key that made `to` */
  keyId: string;
}

/**
 * Stores the newer hashes of secrets that were shown, in one statement. A row that another transaction has locked, or
 * whose hash has changed meanwhile, is left for the next time.
 */
export async function rehash(
  dataSource: DataSource,
  { table, hashColumn, keyIdColumn }: PepperedColumn,
  shown: readonly ShownSecret[],
): Promise<void> {
  if (shown.length === 0) return;
  await dataSource.query(
    `with held as (
       select ${hashColumn} as hash from ${table} where ${hashColumn} = any($1::bytea[])
       for no key update skip locked)
     update ${table} peppered set ${hashColumn} = shown.fresh, ${keyIdColumn} = shown.key_id
     from unnest($1::bytea[], $2::bytea[], $3::text[]) as shown (hash, fresh, key_id)
     join held on held.hash = shown.hash
     where peppered.${hashColumn} = shown.hash`,
    [shown.map(({ from }) => from), shown.map(({ to }) => to), shown.map(({ keyId }) => keyId)],
  );
}
