export { openDatabase } from './data-source.js';
export type { DatabaseOptions } from './data-source.js';
export { GroupCommit } from './group-commit.js';
export type { GroupCommitOptions } from './group-commit.js';
export { prepareSchema } from './schema-and-role.js';
export { startEmbeddedPostgres, EmbeddedPostgresError, freePort } from './embedded-postgres/index.js';
export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded-postgres/index.js';
export { insertRows } from './insert-rows.js';
export type { InsertColumn, InsertOptions } from './insert-rows.js';
