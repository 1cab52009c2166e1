export { startLocalInternet, type LocalInternet, type LocalInternetOptions } from './local-internet.js';
export type { PublishedZone } from './dns/published-records.js';
