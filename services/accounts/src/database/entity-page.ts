import { In, type FindOptionsRelations, type FindOptionsWhere, type Repository } from 'typeorm';
import { pageSql, toPage, type Page, type PageQuery, type PageRow, type Sql } from '@postmesh/http';

export interface EntityList<E> {
  /** columns `id`, `created_at`, and further columns of the page */
  list: Sql;
  page: PageQuery;
  relations?: FindOptionsRelations<E>;
}

/**
 * A page of entities: one statement selects its ids by keyset (`pageSql`), a second one reads these rows. Rows that are
 * deleted between the two are left out.
 */
export async function entityPage<E extends { id: string }, More = unknown>(
  entities: Repository<E>,
  { list, page, relations = {} }: EntityList<E>,
): Promise<Page<More & { entity: E }>> {
  const { text, parameters } = pageSql(list, page);
  const rows: (PageRow & More)[] = await entities.query(text, [...parameters]);
  const where = { id: In(rows.map(({ id }) => id)) } as FindOptionsWhere<E>;
  const found = rows.length === 0 ? [] : await entities.find({ where, relations });
  const byId = new Map<string, E>(found.map((one) => [one.id, one]));
  const { data, ...rest } = toPage(rows, page, (row) => ({ row, entity: byId.get(row.id) }));
  return { ...rest, data: data.flatMap(({ row, entity: one }) => (one ? [{ ...row, entity: one }] : [])) };
}

export const presentPage = <R, T>(page: Page<R>, present: (item: R) => T): Page<T> => ({
  ...page,
  data: page.data.map(present),
});
