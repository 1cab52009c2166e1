export { DELIVERY_WORKER_SERVICE } from './delivery-worker.definition.js';
