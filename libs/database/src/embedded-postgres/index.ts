export { startEmbeddedPostgres } from './start.js';
export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './start.js';
export { EmbeddedPostgresError } from './failure.js';
export { freePort } from './port.js';
