export { MAX_LIMIT, parsePageQuery } from './page-query.rules.js';
export type { PageQuery } from './page-query.rules.js';
export { pageSql, placeOf, toPage } from './pages.js';
export type { Page, PageRow, Sql } from './pages.js';
