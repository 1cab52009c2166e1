export { WEBHOOK_DISPATCHER_SERVICE } from './webhook-dispatcher.definition.js';
