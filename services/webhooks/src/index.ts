export { WEBHOOKS_SERVICE } from './webhooks.definition.js';
