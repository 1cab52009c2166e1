export { DOMAINS_SERVICE } from './domains.definition.js';
