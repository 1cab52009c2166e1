import { runService } from '@postmesh/service-host';
import { DELIVERY_WORKER_SERVICE } from './delivery-worker.definition.js';

await runService(DELIVERY_WORKER_SERVICE);
