export { decodeCursor, encodeCursor } from './cursor.js';
export type { SortKey } from './cursor.js';
export { MAX_LIMIT, parsePageQuery } from './page-query.rules.js';
export type { PageQuery } from './page-query.rules.js';
export { pageSql } from './page-sql.js';
export type { PageRow, Sql } from './page-sql.js';
export { toPage, toPageWithNulls } from './to-page.js';
export type { Page, PageWithNulls } from './to-page.js';
