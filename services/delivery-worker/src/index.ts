export { DELIVERY_WORKER_SERVICE } from './delivery-worker.definition.js';
export { checkEgress } from './egress/check-egress.js';
