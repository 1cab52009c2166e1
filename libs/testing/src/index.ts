export { freePort } from '@postmesh/database';
export { chromiumPath, startBrowser } from './browser/chromium.js';
export { CuttableProxy } from './cuttable-proxy.js';
export { createTestDatabase, testDatabase, testDatabaseWithClock } from './database/test-database.js';
export { fillFromTemplate } from './database/template-database.js';
export { rowsRead } from './database/rows-read.js';
export { openDkim, verifyWithOpenDkim } from './dkim/opendkim.js';
export { knotServer, startForeignNameServer, zoneLines } from './dns/foreign-name-server.js';
export type { ForeignNameServer } from './dns/foreign-name-server.js';
export { startHttpReceiver } from './http/http-receiver.js';
export type { HttpReceiver, ReceivedRequest } from './http/http-receiver.js';
export { buildTestScript } from './processes/test-script.js';
export { startOidcProvider } from './oidc/oidc-provider.js';
export type { TestOidcProvider } from './oidc/oidc-provider.js';
export {
  haproxyProgram,
  microsocksProgram,
  startHaproxy,
  startMicrosocks,
} from './proxies/foreign-proxy.js';
export type { ForeignProxy } from './proxies/foreign-proxy.js';
export { namespaceProgram, startNamespace } from './proxies/network-namespace.js';
export { isRequired, realPart, realProgram } from './real-part.js';
export { SmtpDialogue } from './smtp/smtp-dialogue.js';
export { postfixProgram, startForeignMailHost } from './smtp/foreign-mail-host.js';
export type { ForeignMailHost } from './smtp/foreign-mail-host.js';
