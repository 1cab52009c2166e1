export { freePort } from '@postmesh/database';
export { chromiumPath, startBrowser } from './browser/chromium.js';
export { createTestDatabase, testDatabase } from './database/test-database.js';
export type { TestDatabase } from './database/test-database.js';
export { knotServer, startForeignNameServer, zoneLines } from './dns/foreign-name-server.js';
export type { ForeignNameServer, ForeignNameServerOptions, TsigKey } from './dns/foreign-name-server.js';
export { startHttpReceiver } from './http/http-receiver.js';
export type { PlannedResponse, HttpReceiver, ReceivedRequest } from './http/http-receiver.js';
export { realPart } from './real-part.js';
