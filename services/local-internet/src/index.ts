export { startLocalInternet, type LocalInternet, type LocalInternetOptions } from './local-internet.js';
export type { PublishedZone, RecordsSource } from './dns/published-records.js';
