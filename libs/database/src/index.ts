export { changedRows } from './changed-rows.js';
export { Counters } from './counters.js';
export { openDatabase } from './data-source.js';
export { deleteOlder } from './delete-older.js';
export { DATABASE_MS, DatabaseClock, databaseNow } from './database-clock.js';
export { GroupCommit } from './group-commit.js';
export {
  clusterPassword,
  hasCluster,
  restoreBaseBackup,
  writeBaseBackup,
} from './embedded-postgres/base-backup.js';
export { freePort, startEmbeddedPostgres } from './embedded-postgres/start.js';
export type { EmbeddedPostgres } from './embedded-postgres/start.js';
export { PostgresWatch } from './embedded-postgres/watch.js';
export { insertRows } from './insert-rows.js';
export { Notifications } from './notifications.js';
export { retryTransient } from './retry-transient.js';
export { poolUse } from './pool-use.js';
export { UNNAMED } from './prepared-statements.js';
export { markIsGone, SessionMark } from './session-mark.js';
export { serverOf, ServerSilent, type DatabaseServer } from './silent-servers.js';
export { KEEP_ALIVE, SERVER_KEEPALIVE, timedClient } from './timed-client.js';
