import { encodeCursor } from './cursor.js';
import type { PageQuery } from './page-query.rules.js';
import type { PageRow } from './page-sql.js';

export interface Page<T> {
  object: 'list';
  data: T[];
  pagination: { has_more: boolean; next_cursor?: string; previous_cursor?: string };
}

/** The form of the marketing families: every key is there, a cursor that does not exist is null. */
export interface PageWithNulls<T> {
  object: 'list';
  data: T[];
  pagination: { has_more: boolean; next_cursor: string | null; previous_cursor: string | null };
}

/**
 * The answer of a list (spec 1-platform §1.3.4-7).
 * @param rows of `pageSql`, as they came
 * @param present makes the public item of a row
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

/**
 * The same for the marketing families (spec 3-marketing §0 rule 8). There `has_more` speaks of
 * the direction asked for: on a `before` page, of newer items.
 */
export function toPageWithNulls<R extends PageRow, T>(
  rows: readonly R[],
  page: PageQuery,
  present: (row: R) => T,
): PageWithNulls<T> {
  const { data, pagination } = toPage(rows, page, present);
  const { has_more: older, next_cursor = null, previous_cursor = null } = pagination;
  const more = page.before === undefined ? older : previous_cursor !== null;
  return { object: 'list', data, pagination: { has_more: more, next_cursor, previous_cursor } };
}

/** The items of the page, newest first, and whether the list goes on at either end. */
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
