export { decodeCursor, encodeCursor, MAX_LIMIT, parsePageQuery } from './page-query.rules.js';
export type { PageQuery, SortKey } from './page-query.rules.js';
export { pageSql, placeOf, toFullPage, toPage } from './pages.js';
export type { FullPage, Page, PageRow, Sql } from './pages.js';
