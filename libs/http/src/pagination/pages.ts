import { encodeCursor, type PageQuery, type SortKey } from './page-query.rules.js';

export interface Sql {
  text: string;
  parameters: readonly unknown[];
}

/** The columns that `pageSql` adds to each row of the list. */
export interface PageRow {
  id: string;
  /** created_at in microseconds since 1970 (a bigint, returned as text by the driver) */
  page_micros: string;
  /** on a `before` page: rows exist after the last item of the page */
  page_continues: boolean;
}

// numeric and therefore exact; a float would lose the last digit
const MICROS = '(extract(epoch from listed.created_at) * 1000000)::bigint as page_micros';

/**
 * Cuts one page out of a list by keyset, newest first by `(created_at, id)` (spec 1-platform §1.3.3). An
 * index that ends in `(created_at, id)` after the columns that the list compares serves it without a sort.
 * @param list a select without `order by` and `limit`, with columns `created_at` (timestamptz) and `id`
 *   (uuid); its parameters are `$1` to `$n`
 * @returns the query; pass its rows unchanged to `toPage`. The query reads one row more than the page holds
 */
export function pageSql(list: Sql, page: PageQuery): Sql {
  if (page.before !== undefined) return pageBefore(list, page.limit, page.before);
  const key = page.after === undefined ? [] : keyParameters(page.after);
  const next = list.parameters.length + 1;
  const where = page.after === undefined ? '' : `where (listed.created_at, listed.id) < (${keyAt(next)})`;
  return {
    text: `select listed.*, ${MICROS}, false as page_continues from (${list.text}) as listed ${where}
      order by listed.created_at desc, listed.id desc limit $${next + key.length}`,
    parameters: [...list.parameters, ...key, page.limit + 1],
  };
}

/**
 * The rows next to the cursor come first, so the order is ascending; `toPage` reverses it. The check for further rows
 * has an order, since `exists` alone would let the planner read the whole table for one row.
 */
function pageBefore(list: Sql, limit: number, before: SortKey): Sql {
  const next = list.parameters.length + 1;
  return {
    text: `select listed.*, ${MICROS},
        (select true from (${list.text}) as rest where (rest.created_at, rest.id) <= (${keyAt(next)})
         order by rest.created_at desc, rest.id desc limit 1) is not null as page_continues
      from (${list.text}) as listed where (listed.created_at, listed.id) > (${keyAt(next)})
      order by listed.created_at, listed.id limit $${next + 2}`,
    parameters: [...list.parameters, ...keyParameters(before), limit + 1],
  };
}

const keyAt = (next: number): string => `$${next}::timestamptz, $${next + 1}::uuid`;

function keyParameters(key: SortKey): [string, string] {
  const { at, id } = placeOf(key);
  return [at, id];
}

/**
 * The position of a cursor, for a list that `pageSql` cannot build.
 * @returns `at`: RFC 3339 with six digits; Postgres reads it exactly, and the index sees a plain value
 */
export function placeOf({ createdAtMicros, id }: SortKey): { at: string; id: string } {
  const millis = Math.floor(createdAtMicros / 1_000);
  const micros = String(createdAtMicros % 1_000).padStart(3, '0');
  return { at: new Date(millis).toISOString().replace('Z', `${micros}Z`), id };
}

export interface Page<T> {
  object: 'list';
  data: T[];
  pagination: { has_more: boolean; next_cursor?: string; previous_cursor?: string };
}

/**
 * The response of a list (spec 1-platform §1.3.4-7).
 * @param rows of `pageSql`, unchanged
 * @param present builds the public item of a row
 */
export function toPage<R extends PageRow, T>(
  rows: readonly R[],
  page: PageQuery,
  present: (row: R) => T,
): Page<T> {
  const { items, older, newer } = cut(rows, page);
  const [first, last] = [items[0], items.at(-1)];
  return {
    object: 'list',
    data: items.map(present),
    pagination: {
      has_more: older,
      ...(older && last ? { next_cursor: cursorOf(last) } : {}),
      ...(newer && first ? { previous_cursor: cursorOf(first) } : {}),
    },
  };
}

/** Lists of marketing have both cursors, `null` where there is no such page (spec 3-marketing §0 rule 8). */
export interface FullPage<T> {
  object: 'list';
  data: T[];
  pagination: { has_more: boolean; next_cursor: string | null; previous_cursor: string | null };
}

/** A page of `toPage` with all three keys. `has_more` of `toPage` refers to the requested direction. */
export function toFullPage<T>({ object, data, pagination }: Page<T>, { before }: PageQuery): FullPage<T> {
  const { next_cursor = null, previous_cursor = null } = pagination;
  const hasMore = before === undefined ? next_cursor !== null : previous_cursor !== null;
  return { object, data, pagination: { has_more: hasMore, next_cursor, previous_cursor } };
}

/** The items of the page, newest first, and whether further rows exist at either end. */
function cut<R extends PageRow>(rows: readonly R[], page: PageQuery) {
  const items = rows.slice(0, page.limit);
  const beyond = rows.length > page.limit;
  if (page.before === undefined) {
    return { items, older: beyond, newer: page.after !== undefined };
  }
  return { items: items.reverse(), older: rows[0]?.page_continues ?? false, newer: beyond };
}

const cursorOf = (row: PageRow): string =>
  encodeCursor({ createdAtMicros: Number(row.page_micros), id: row.id });
