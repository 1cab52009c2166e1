export { startLocalInternet, type LocalInternet, type LocalInternetOptions } from './local-internet.js';
export { PublishedRecord, PublishedZone, type RecordsSource } from './dns/published-zone.js';
export type { LocalInternetLogger } from './logger.js';
