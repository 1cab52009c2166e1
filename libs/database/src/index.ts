export { openDatabase } from './data-source.js';
export type { DatabaseOptions } from './data-source.js';
export { GroupCommit } from './group-commit.js';
export type { GroupCommitOptions } from './group-commit.js';
export { freePort, startEmbeddedPostgres } from './embedded-postgres/start.js';
export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded-postgres/start.js';
export { insertRows } from './insert-rows.js';
export type { InsertColumn, InsertOptions } from './insert-rows.js';
export { UNNAMED } from './prepared-statements.js';
