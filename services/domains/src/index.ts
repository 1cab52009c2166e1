export { DOMAINS_SERVICE } from './domains.definition.js';
export { zoneRecords } from './operator/published-zone.js';
