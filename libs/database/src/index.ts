export { atCommit, batchedTransaction } from './batched-transaction.js';
export { changedRows } from './changed-rows.js';
export { openDatabase } from './data-source.js';
export type { DatabaseOptions } from './data-source.js';
export { deleteOlder } from './delete-older.js';
export type { OlderRows } from './delete-older.js';
export { DATABASE_MS, DatabaseClock, databaseNow } from './database-clock.js';
export { GroupCommit } from './group-commit.js';
export type { GroupCommitOptions } from './group-commit.js';
export {
  clusterPassword,
  hasCluster,
  restoreBaseBackup,
  writeBaseBackup,
} from './embedded-postgres/base-backup.js';
export type { BaseBackup } from './embedded-postgres/base-backup.js';
export { freePort, startEmbeddedPostgres } from './embedded-postgres/start.js';
export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded-postgres/start.js';
export { PostgresWatch } from './embedded-postgres/watch.js';
export type { WatchOptions } from './embedded-postgres/watch.js';
export { insertRows } from './insert-rows.js';
export type { InsertColumn, InsertOptions } from './insert-rows.js';
export { Notifications } from './notifications.js';
export type { NotificationsOptions } from './notifications.js';
export { retryTransient } from './retry-transient.js';
export type { RetryOptions } from './retry-transient.js';
export { poolUse } from './pool-use.js';
export { UNNAMED } from './prepared-statements.js';
export { markIsGone, SessionMark } from './session-mark.js';
export type { SessionMarkOptions } from './session-mark.js';
export { KEEP_ALIVE, SERVER_KEEPALIVE, timedClient } from './timed-client.js';
