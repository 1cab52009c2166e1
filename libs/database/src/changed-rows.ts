import type { DataSource, EntityManager } from 'typeorm';

/** @returns how many rows an update or delete changed: of these TypeORM gives the rows and their number */
export async function changedRows(
  database: Pick<DataSource | EntityManager, 'query'>,
  statement: string,
  parameters: unknown[] = [],
): Promise<number> {
  const [, count]: [unknown, number] = await database.query(statement, parameters);
  return count;
}
