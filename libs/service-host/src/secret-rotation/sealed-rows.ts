import type { DataSource, EntityManager } from 'typeorm';
import type { PepperedColumn, SealedColumn, SecretBox } from '@postmesh/secrets';

/** Number of secrets by the id of their key; '' = sealed or hashed before ids were stored. */
export type CountsByKey = ReadonlyMap<string, number>;

/** A row whose secret is sealed by another key than the current one. */
interface StaleRow {
  primaryKey: string[];
  sealed: string;
}

export interface ResealedBatch {
  resealed: number;
  /** primary keys of the rows that no key opens */
  unreadable: string[][];
  /** start of the next batch; undefined: there is none */
  last: string[] | undefined;
}

// A batch locks its rows for a few milliseconds.
const BATCH = 100;

export async function countSealed(dataSource: DataSource, column: SealedColumn): Promise<CountsByKey> {
  return byKey(
    await dataSource.query(
      `select ${keyIdOf(column)} as key_id, count(*)::int as count
       from ${column.table} where ${holdsSecret(column)} group by 1`,
    ),
  );
}

export async function countPeppered(
  dataSource: DataSource,
  { table, keyIdColumn }: PepperedColumn,
): Promise<CountsByKey> {
  return byKey(
    await dataSource.query(
      `select coalesce(${keyIdColumn}, '') as key_id, count(*)::int as count from ${table} group by 1`,
    ),
  );
}

const byKey = (rows: { key_id: string; count: number }[]): CountsByKey =>
  new Map(rows.map(({ key_id, count }) => [key_id, count]));

/** @returns how many of the first `limit` stale secrets no key opens */
export async function countUnreadable(
  dataSource: DataSource,
  column: SealedColumn,
  { box, limit }: { box: SecretBox; limit: number },
): Promise<number> {
  const rows = await staleRows(dataSource.manager, column, { keyId: box.keyIds[0], limit });
  return rows.filter((row) => open(row, column, box) === undefined).length;
}

/**
 * Seals a bounded number of secrets again with the current key, in a transaction of its own. Rows that another
 * transaction has locked are left out until the next pass. Each row is read under its lock before it is written, so
 * that no other change of the row is lost.
 * @param after the last row of the previous batch
 */
export function resealBatch(
  dataSource: DataSource,
  column: SealedColumn,
  { box, after }: { box: SecretBox; after: string[] | undefined },
): Promise<ResealedBatch> {
  return dataSource.transaction(async (tx) => {
    const rows = await staleRows(tx, column, { keyId: box.keyIds[0], limit: BATCH, after, lock: true });
    const opened = rows.map((row) => ({ ...row, plain: open(row, column, box) }));
    const fresh = opened.flatMap(({ primaryKey, plain }) =>
      plain === undefined ? [] : [{ primaryKey, sealed: box.seal(plain, column.about(...primaryKey)) }],
    );
    await write(tx, column, fresh);
    return {
      resealed: fresh.length,
      unreadable: opened.filter(({ plain }) => plain === undefined).map(({ primaryKey }) => primaryKey),
      last: rows.length < BATCH ? undefined : rows.at(-1)?.primaryKey,
    };
  });
}

function open({ primaryKey, sealed }: StaleRow, { about }: SealedColumn, box: SecretBox): string | undefined {
  try {
    return box.open(sealed, about(...primaryKey));
  } catch {
    return undefined;
  }
}

interface StaleRows {
  keyId: string | undefined;
  limit: number;
  after?: string[] | undefined;
  lock?: boolean;
}

async function staleRows(
  manager: EntityManager,
  column: SealedColumn,
  { keyId, limit, after, lock }: StaleRows,
): Promise<StaleRow[]> {
  const names = Object.keys(column.primaryKey);
  const types = Object.values(column.primaryKey);
  const beyond =
    after === undefined
      ? ''
      : `and (${names.join()}) > (${types.map((type, at) => `$${at + 3}::${type}`).join()})`;
  const rows: { primary_key: string[]; sealed: string }[] = await manager.query(
    `select array[${names.map((name) => `${name}::text`).join()}] as primary_key, ${textOf(column)} as sealed
     from ${column.table}
     where ${holdsSecret(column)} and ${keyIdOf(column)} <> $1 ${beyond}
     order by ${names.join()} limit $2 ${lock ? 'for no key update skip locked' : ''}`,
    [keyId, limit, ...(after ?? [])],
  );
  return rows.map(({ primary_key: primaryKey, sealed }) => ({ primaryKey, sealed }));
}

async function write(tx: EntityManager, column: SealedColumn, rows: readonly StaleRow[]): Promise<void> {
  if (rows.length === 0) return;
  const keys = Object.entries(column.primaryKey);
  const arrays = keys.map(([, type], at) => `$${at + 2}::${type}[]`);
  const sealed = column.type === 'bytea' ? `convert_to(fresh.sealed, 'UTF8')` : 'fresh.sealed';
  await tx.query(
    `update ${column.table} stale set ${column.column} = ${sealed}
     from unnest($1::text[], ${arrays.join()}) as fresh (sealed, ${keys.map(([name]) => name).join()})
     where ${keys.map(([name]) => `stale.${name} = fresh.${name}`).join(' and ')}`,
    [rows.map((row) => row.sealed), ...keys.map((_, at) => rows.map(({ primaryKey }) => primaryKey[at]))],
  );
}

const holdsSecret = ({ column, where = 'true' }: SealedColumn): string =>
  `${column} is not null and (${where})`;

/** Sealed text is ASCII without a backslash, so that the encoding changes nothing and fails for no bytes. */
const textOf = ({ column, type }: SealedColumn): string =>
  type === 'bytea' ? `encode(${column}, 'escape')` : column;

const keyIdOf = (column: SealedColumn): string => `split_part(${textOf(column)}, '.', 3)`;
